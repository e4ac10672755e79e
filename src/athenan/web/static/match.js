import { command, drawn, element } from "/static/dom.js";
import { percent, signed, t } from "/static/texts.js";

// A match with its variations, as a tree of moves, what a review found about them, and the graph of its values or win chances.

const LEFT = 34;   // units of the graph that its axis takes
const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

// A position and the move that led to it, of the turn with this number. `begins`: it is the first of its turn; `forced`:
// nothing else could be played, and it has no place. `chance` is the first player's win chance there; `lost` and `mark` are about
// the move; `better` and `way` are the best line from here, as moves and as a drawing; `solved`: instead of this mistake
// a better move was found, or the answer shown; `joined`: undone together
// with the move before; `taken`: taken back; `over`: the match has ended here; `ended`: how, if not by the rules:
// {how, side}; `double`: the double before the roll here, {side, taken}; `offered`: who doubles here, until it is answered.
function made({ name, side, begins, forced }, parent) {
  const turn = (parent?.turn ?? 0) + (begins ? 1 : 0);
  return {
    name, side, begins, forced, turn, parent, next: [], value: null, proven: null, chance: null, lost: null, mark: "", better: { line: [], sides: [] }, way: "",
    solved: false, double: null, offered: null,
    joined: false, taken: false, over: false, ended: null,
  };
}

export class Match {
  constructor() { this.root = made({ name: null, side: null, begins: false, forced: false }, null); this.here = this.root; }

  // Goes to the node after these moves, {name, side, begins, forced}, and adds new nodes; `over`: the match has ended
  // there, `ended`: how, if not by the rules.
  follow(moves, over, ended = null) {
    let node = this.root;
    for (const move of moves) {
      let next = node.next.find((one) => one.name === move.name);
      if (!next) { next = made(move, node); node.next.push(next); }
      node = next;
    }
    node.ended ??= ended;
    node.over ||= over || node.ended !== null;
    this.here = node;
  }

  // The match that is played leads here: a move that was taken back on the way is no longer the main one.
  lead() {
    for (let node = this.here; node.parent; node = node.parent) {
      const { next } = node.parent;
      node.taken = false;
      if (next[0].taken) next.unshift(...next.splice(next.indexOf(node), 1));
    }
  }

  // Takes back a move and those after it.
  takeBack(node) { for (; node; [node] = node.next) node.taken = true; }

  // The last moves are undone together.
  join(count) {
    for (let node = this.here; count > 1; count -= 1) { node.joined = true; node = node.parent; }
  }

  names(node = this.here) {
    const names = [];
    for (; node.parent; node = node.parent) names.unshift(node.name);
    return names;
  }

  // The way through this node to the end; the first following move is the main one. Nothing follows a resignation.
  line(node = this.here) {
    const line = [];
    for (let at = node; at; at = at.parent) line.unshift(at);
    for (let at = node; at.next.length && !at.ended; ) { at = at.next[0]; line.push(at); }
    return line;
  }

  end() { const line = this.line(); return line[line.length - 1]; }

  // The next marked move of the line, or the one before; after the last one the first comes again. The moves of the side
  // `own` come before the others.
  marked(forward, own = null) {
    const line = this.line(), wrong = line.filter((node) => node.mark), first = wrong.filter(({ side }) => side === own);
    const all = [...first, ...wrong.filter(({ side }) => side !== own)], shown = all.findIndex(({ parent }) => parent === this.here);
    if (shown >= 0) return all[(shown + (forward ? 1 : all.length - 1)) % all.length];
    const among = first.length ? first : all, at = line.indexOf(this.here);
    const near = forward ? among.find((node) => line.indexOf(node) > at) : among.findLast((node) => line.indexOf(node) <= at);
    return near ?? among[forward ? 0 : among.length - 1] ?? null;
  }

  // How many moves of each side have a mark.
  marks(side) {
    const moves = this.line().filter((node) => node.side === side);
    return Object.keys(SIGNS).map((mark) => [mark, moves.filter((node) => node.mark === mark).length]);
  }

  scale() { return Math.max(1e-9, ...this.line().map((node) => Math.abs(node.value ?? 0))); }

  // The moves as buttons, those of a turn together under its number.
  tree(go) {
    const box = document.createDocumentFragment();
    const button = (node, numbered) => {
      const made = command(numbered ? `${node.turn}. ${node.name}` : node.name, () => go(this.names(node)));
      made.className = [node === this.here && "here", node.side === 2 && "chance", node.mark].filter(Boolean).join(" ");
      if (node.double?.taken) made.dataset.cube = t("cube.doubled");
      if (node.mark) { made.dataset.sign = SIGNS[node.mark]; made.title = t(`mark.${node.mark}`); }
      return made;
    };
    const group = (kind, parent) => { const made = element("span", { className: kind }); parent.append(made, " "); return made; };
    const write = (node, parent, turn = null) => {
      for (; node.next.length; [node] = node.next) {
        const [main, ...others] = node.next;
        if (!turn || main.begins) turn = group("turn", parent);
        if (turn.firstChild) turn.append(" ", button(main, false)); else turn.append(button(main, true));
        for (const other of others) {
          const variation = group("variation", parent), first = group("turn", variation);
          first.before("( ");
          first.append(button(other, true));
          write(other, variation, first);
          variation.append(") ");
          turn = null;
        }
      }
    };
    write(this.root, box);
    return box;
  }

  // The graph of win chances if they are wanted and known wherever values are, else of values. Both are for the first
  // player, whose name is `first`.
  graph(go, chances, first) {
    const line = this.line(), asChances = chances && line.every((node) => node.value === null || node.chance !== null);
    const heightOf = (node) => (node.value === null ? null : asChances ? 2 * node.chance - 1 : node.value / scale);
    const scale = this.scale(), known = line.map((node, ply) => ({ node, ply })).filter(({ node }) => heightOf(node) !== null);
    if (known.length < 2) return "";
    const svg = drawn("svg");
    const width = 400, plot = 100, height = 112, last = Math.max(1, line.length - 1);
    const across = (ply) => LEFT + (width - LEFT - 8) * ply / last, down = (share) => plot / 2 - (plot / 2 - 6) * share;
    const at = ({ node, ply }) => [across(ply), down(heightOf(node))];
    const add = (name, attributes) => drawn(name, attributes, svg);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", t(asChances ? "graph.chances" : "graph.values", { count: last, side: first }));
    for (const share of [1, 0, -1]) {
      add("line", { class: "zero", x1: LEFT - 4, x2: width, y1: down(share), y2: down(share) });
      add("text", { class: "axis", x: LEFT - 6, y: down(share) }).textContent = asChances ? percent((1 + share) / 2) : signed(share * scale);
    }
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => last / one <= 12) ?? 5000;
    for (let ply = every; ply <= last; ply += every) add("text", { class: "axis ply", x: across(ply), y: height - 1 }).textContent = ply;
    const here = line.indexOf(this.here);
    add("line", { class: "here", x1: across(here), x2: across(here), y1: 0, y2: plot });
    add("polyline", { class: "curve", points: known.map((one) => at(one).join(",")).join(" ") });
    for (const one of known) {
      const [x, y] = at(one), wrong = one.node.mark;
      const dot = add("circle", { class: wrong || "dot", cx: x, cy: y, r: wrong ? 4 : 2.5 });
      const value = asChances ? `${first} ${percent(one.node.chance)}` : signed(one.node.value);
      drawn("title", {}, dot).textContent = `${one.node.parent ? `${one.node.turn}. ${one.node.name}` : t("graph.start")}: ${value}${wrong ? `, ${t(`mark.${wrong}`)}` : ""}`;
      dot.addEventListener("click", () => go(this.names(one.node)));
    }
    return svg;
  }
}
