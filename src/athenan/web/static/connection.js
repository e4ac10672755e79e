// The socket: messages to the server, and its answers to the latest request.
import { $ } from "/static/dom.js";
import { page, status } from "/static/page.js";
import { counted, t } from "/static/texts.js";

const MOST_CHARACTERS = 65536;   // of a message; the server takes no longer text
// Answers to earlier requests are ignored, except answers about files: files and searches do not disturb each other.
export const FILES = 0;
const POSITIONS = ["open", "position", "play", "roll", "think"];

export class Connection {
  constructor(answers) { this.answers = answers; this.request = 0; this.socket = null; }

  open(then) {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.addEventListener("open", then);
    this.socket.addEventListener("close", ({ reason }) => status(reason || t("server.ended"), true));
    this.socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if ([this.request, FILES].includes(message.request)) this.answers[message.type]?.(message);
    });
  }

  send(type, content = {}, asked = null) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (asked === null) { asked = this.request += 1; awaits(POSITIONS.includes(type) ? type : null); }
    const text = JSON.stringify({ type, request: asked, ...content });
    if (text.length > MOST_CHARACTERS) return this.answers.error({ request: asked, text: t("file.long", { characters: counted(MOST_CHARACTERS) }) });
    this.socket.send(text);
  }
}

export function awaits(type) {
  page.awaited = type;
  for (const id of ["hint", "annotate"]) $(id).disabled = type !== null;
}
