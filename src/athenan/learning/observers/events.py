"""TensorBoard's files of events, by the package tensorboard alone."""

import os
import socket
import time
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from athenan.settings import readable

_FLUSH_SECONDS = 10
_numbers = count()
"""Numbers of this process's files, which are read in the order of their names."""


class EventWriter:
    """Writes scalars, and the settings of a run, to a new file in a folder."""

    def __init__(self, folder: Path, purge_from: int | None = None) -> None:
        """`purge_from` hides this step and later ones in earlier files of the folder."""
        from tensorboard.compat.proto.event_pb2 import SessionLog
        from tensorboard.summary.writer.record_writer import RecordWriter

        folder.mkdir(parents=True, exist_ok=True)
        own = f"{socket.gethostname()}.{os.getpid()}.{next(_numbers):06d}"
        # TensorBoard's own writer opens only files whose whole path is UTF-8
        file = folder / f"events.out.tfevents.{int(time.time()):010d}.{own}"
        self._file = RecordWriter(file.open("wb"))
        self._flushed = time.monotonic()
        self._add(file_version="brain.Event:2")
        self._file.flush()
        if purge_from is not None:
            self._add(step=purge_from, file_version="brain.Event:2")
            self._add(step=purge_from, session_log=SessionLog(status=SessionLog.START))

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        """Writes one number."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        self._add(step=step, summary=Summary(value=[Summary.Value(tag=readable(tag), simple_value=value)]))

    def add_settings(self, settings: Mapping[str, str], metrics: Iterable[str]) -> None:
        """Writes the settings of a run, and the tags by which runs are compared, for the tab of hyperparameters."""
        from tensorboard.plugins.hparams import api_pb2, metadata
        from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionStartInfo

        experiment = api_pb2.Experiment(
            hparam_infos=[
                api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value("DATA_TYPE_STRING")) for name in settings
            ],
            metric_infos=[api_pb2.MetricInfo(name=api_pb2.MetricName(tag=readable(tag))) for tag in metrics],
        )
        session = SessionStartInfo()
        for name, value in settings.items():
            session.hparams[name].string_value = readable(value)
        version = metadata.PLUGIN_DATA_VERSION
        self._add_plugin_data(metadata.EXPERIMENT_TAG, HParamsPluginData(experiment=experiment, version=version))
        data = HParamsPluginData(session_start_info=session, version=version)
        self._add_plugin_data(metadata.SESSION_START_INFO_TAG, data)

    def close(self) -> None:
        """Writes what waits, and ends."""
        self._file.close()

    def _add_plugin_data(self, tag: str, data: Any) -> None:
        from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
        from tensorboard.plugins.hparams import metadata

        plugin = SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString())
        described = SummaryMetadata(plugin_data=plugin)
        self._add(summary=Summary(value=[Summary.Value(tag=tag, metadata=described)]))

    def _add(self, **fields: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        self._file.write(Event(wall_time=time.time(), **fields).SerializeToString())
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self._flushed = time.monotonic()
            self._file.flush()
