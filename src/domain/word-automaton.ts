/**
 * Finds any of many words in a text in one pass, whatever their number (Aho and Corasick, 1975).
 * Case does not matter. Built once per option change, used on every checked call.
 */
interface Node {
  readonly next: Map<string, Node>;
  fail: Node | undefined;
  /** The word that ends here, or at a shorter suffix of here. */
  word: string | undefined;
}

export interface WordAutomaton {
  /** The first word found, or undefined. */
  find(text: string): string | undefined;
}

export function buildWordAutomaton(words: readonly string[]): WordAutomaton {
  const root: Node = newNode();
  for (const word of words) addWord(root, word.toLowerCase());
  linkFailures(root);
  return { find: (text) => (root.next.size === 0 ? undefined : walk(root, text.toLowerCase())) };
}

function newNode(): Node {
  return { next: new Map(), fail: undefined, word: undefined };
}

function addWord(root: Node, word: string): void {
  let node = root;
  for (const sign of word) {
    const next = node.next.get(sign) ?? newNode();
    node.next.set(sign, next);
    node = next;
  }
  if (node !== root) node.word = word;
}

/** Breadth first: a node's failure link points to the longest suffix of it that is also a path. */
function linkFailures(root: Node): void {
  const queue: Node[] = [];
  for (const child of root.next.values()) {
    child.fail = root;
    queue.push(child);
  }
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at] ?? root;
    for (const [sign, child] of node.next) {
      child.fail = step(node.fail ?? root, root, sign);
      child.word ??= child.fail.word;
      queue.push(child);
    }
  }
}

function step(from: Node, root: Node, sign: string): Node {
  let node: Node | undefined = from;
  while (node !== undefined) {
    const next = node.next.get(sign);
    if (next !== undefined) return next;
    node = node.fail;
  }
  return root;
}

function walk(root: Node, text: string): string | undefined {
  let node = root;
  for (const sign of text) {
    node = step(node, root, sign);
    if (node.word !== undefined) return node.word;
  }
  return undefined;
}
