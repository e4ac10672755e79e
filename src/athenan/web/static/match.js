// A match with its variations, as a tree of moves, and the graph of its values.

export class Match {
  constructor() { this.root = { name: null, side: null, next: [], parent: null, value: null, proven: null }; this.here = this.root; }

  // Goes to the node after these moves and adds new nodes. Moves are {name, side}.
  follow(moves) {
    let node = this.root;
    for (const { name, side } of moves) {
      let next = node.next.find((one) => one.name === name);
      if (!next) { next = { name, side, next: [], parent: node, value: null, proven: null }; node.next.push(next); }
      node = next;
    }
    this.here = node;
  }

  names(node = this.here) {
    const names = [];
    for (; node.parent; node = node.parent) names.unshift(node.name);
    return names;
  }

  // The way through this node to the end; the first following move is the main one.
  line(node = this.here) {
    const line = [];
    for (let at = node; at; at = at.parent) line.unshift(at);
    for (let at = node; at.next.length; ) { at = at.next[0]; line.push(at); }
    return line;
  }

  end() { const line = this.line(); return line[line.length - 1]; }

  // Whether a move lost much on the scale of the match's values, or lost a proven result.
  blunder(node, scale) {
    const before = node.parent;
    if (!before || before.value === null || node.value === null || node.side > 1) return false;
    const sign = node.side === 0 ? 1 : -1;
    if (before.proven !== null && node.proven !== null && sign * (before.proven - node.proven) > 0) return true;
    return sign * (before.value - node.value) > 0.35 * scale;
  }

  scale() { return Math.max(1e-9, ...this.line().map((node) => Math.abs(node.value ?? 0))); }

  tree(go) {
    const box = document.createDocumentFragment(), scale = this.scale();
    const button = (node, number) => {
      const made = document.createElement("button");
      made.textContent = `${number}. ${node.name}`;
      made.className = [node === this.here && "here", node.side === 2 && "chance", this.blunder(node, scale) && "blunder"].filter(Boolean).join(" ");
      made.addEventListener("click", () => go(this.names(node)));
      return made;
    };
    const write = (node, number, parent) => {
      while (node.next.length) {
        const [main, ...others] = node.next;
        parent.append(button(main, number), " ");
        for (const other of others) {
          const variation = document.createElement("span");
          variation.className = "variation";
          variation.append("( ", button(other, number), " ");
          write(other, number + 1, variation);
          variation.append(") ");
          parent.append(variation);
        }
        node = main; number += 1;
      }
    };
    write(this.root, 1, box);
    return box;
  }

  graph(go) {
    const line = this.line(), known = line.map((node, ply) => ({ node, ply })).filter(({ node }) => node.value !== null);
    if (known.length < 2) return "";
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const scale = this.scale(), width = 400, height = 100, last = Math.max(1, line.length - 1);
    const at = ({ node, ply }) => [8 + (width - 16) * ply / last, height / 2 - (height / 2 - 8) * node.value / scale];
    const add = (name, attributes) => {
      const made = document.createElementNS(svg.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      svg.append(made);
      return made;
    };
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `values over ${last} actions, from the first player's point of view`);
    add("line", { class: "zero", x1: 0, x2: width, y1: height / 2, y2: height / 2 });
    const here = line.indexOf(this.here);
    add("line", { class: "here", x1: 8 + (width - 16) * here / last, x2: 8 + (width - 16) * here / last, y1: 0, y2: height });
    add("polyline", { class: "curve", points: known.map((one) => at(one).join(",")).join(" ") });
    for (const one of known) {
      const [x, y] = at(one), wrong = this.blunder(one.node, scale);
      const dot = add("circle", { class: wrong ? "blunder" : "dot", cx: x, cy: y, r: wrong ? 4 : 2.5 });
      dot.append(document.createElementNS(svg.namespaceURI, "title"));
      dot.firstChild.textContent = `${one.ply}. ${one.node.name ?? "start"}: ${one.node.value.toFixed(3)}`;
      dot.addEventListener("click", () => go(this.names(one.node)));
    }
    return svg;
  }
}
