// The socket: messages to the server, and its answers to the latest request.
import { $ } from "/static/dom.js";
import { page, status } from "/static/page.js";
import { counted, textOr } from "/static/texts.js";

const MOST_CHARACTERS = 65536;   // of a message; the server takes no longer text
// Answers to earlier requests are ignored, except answers about files: files and searches do not disturb each other.
export const FILES = 0;
const REFUSED = 4000;   // the least code of a connection that the server closes for a reason
const PATIENCE = 1000;  // milliseconds between two attempts to reach a server that has gone
const POSITIONS = ["open", "position", "play", "roll", "think"];

export class Connection {
  // `joins` is called when the server is reached, also again after it was gone, and `lost` when it has gone.
  constructor(answers, { joins, lost }) {
    this.answers = answers; this.joins = joins; this.lost = lost;
    this.request = 0; this.socket = null; this.gone = false;
  }

  open() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.addEventListener("open", () => { this.gone = false; this.joins(); });
    this.socket.addEventListener("close", ({ code, reason }) => this.closed(code, reason));
    this.socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if ([this.request, FILES].includes(message.request)) this.answers[message.type]?.(message);
    });
  }

  closed(code, reason) {
    if (code >= REFUSED) return status(textOr(`closed.${code}`, reason), true);
    if (!this.gone) { this.gone = true; this.lost(); }
    setTimeout(() => this.open(), PATIENCE);
  }

  send(type, content = {}, asked = null) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (asked === null) { asked = this.request += 1; awaits(POSITIONS.includes(type) ? type : null); }
    const text = JSON.stringify({ type, request: asked, ...content });
    if (text.length > MOST_CHARACTERS) return this.answers.error({ request: asked, key: "file.long", values: { characters: counted(MOST_CHARACTERS) } });
    this.socket.send(text);
  }
}

export function awaits(type) {
  page.awaited = type;
  for (const id of ["hint", "review"]) $(id).disabled = type !== null;
}
