// Sounds of moves, made by the browser; off until a person wants them.
import { kept } from "/static/dom.js";

let context = null;

export function hasSound() { return kept("sound", "off") === "on"; }

// A move, a capture or the end of a match.
export function sound(kind) {
  if (!hasSound()) return;
  context ??= new AudioContext();
  const tones = { move: [[190, 0]], capture: [[150, 0], [110, 0.06]], end: [[330, 0], [440, 0.14], [550, 0.28]] }[kind];
  for (const [pitch, after] of tones) tone(pitch, context.currentTime + after, kind === "end" ? 0.3 : 0.09);
}

function tone(pitch, start, length) {
  const wave = new OscillatorNode(context, { type: "triangle", frequency: pitch }), volume = new GainNode(context);
  volume.gain.setValueAtTime(0.35, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  wave.connect(volume).connect(context.destination);
  wave.start(start);
  wave.stop(start + length);
}
