/**
 * Finds any of many words in a text in one pass, regardless of their number (Aho and Corasick,
 * 1975). Ignores case. Built once per option change, used on every checked call.
 */
interface Node {
  /** Keyed by UTF-16 unit. */
  readonly next: Map<number, Node>;
  fail: Node | undefined;
  /** The word that ends at this node, or at one of its suffixes. */
  word: string | undefined;
}

export interface WordAutomaton {
  /** The first word found, or undefined. */
  find(text: string): string | undefined;
}

/** So few words are found sooner one after the other, by the search of the runtime. */
const FEW = 8;

export function buildWordAutomaton(given: readonly string[]): WordAutomaton {
  const words = given.map((word) => word.toLowerCase()).filter((word) => word !== '');
  if (words.length <= FEW) return fewWords(words);
  const root: Node = newNode();
  for (const word of words) addWord(root, word);
  linkFailures(root);
  const starts = firstUnits(root);
  return { find: (text) => walk(root, starts, text.toLowerCase()) };
}

/** Each as a literal pattern that ignores case: a text in lower case would be a copy of every text. */
function fewWords(words: readonly string[]): WordAutomaton {
  const patterns = words.map((word) => ({ word, pattern: new RegExp(escaped(word), 'iu') }));
  return { find: (text) => patterns.find(({ pattern }) => pattern.test(text))?.word };
}

/** The word as a regular expression that matches it alone. */
function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Most characters do not start any word; one lookup per character skips them. */
function firstUnits(root: Node): Uint8Array {
  const starts = new Uint8Array(0x10000);
  for (const unit of root.next.keys()) starts[unit] = 1;
  return starts;
}

function newNode(): Node {
  return { next: new Map(), fail: undefined, word: undefined };
}

function addWord(root: Node, word: string): void {
  let node = root;
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    const next = node.next.get(unit) ?? newNode();
    node.next.set(unit, next);
    node = next;
  }
  if (node !== root) node.word = word;
}

/** Breadth first: a node's failure link points to its longest suffix that is also a path. */
function linkFailures(root: Node): void {
  const queue: Node[] = [];
  for (const child of root.next.values()) {
    child.fail = root;
    queue.push(child);
  }
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at] ?? root;
    for (const [unit, child] of node.next) {
      child.fail = step(node.fail ?? root, root, unit);
      child.word ??= child.fail.word;
      queue.push(child);
    }
  }
}

function step(from: Node, root: Node, unit: number): Node {
  let node: Node | undefined = from;
  while (node !== undefined) {
    const next = node.next.get(unit);
    if (next !== undefined) return next;
    node = node.fail;
  }
  return root;
}

function walk(root: Node, starts: Uint8Array, text: string): string | undefined {
  let node = root;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (node === root && starts[unit] === 0) continue;
    node = step(node, root, unit);
    if (node.word !== undefined) return node.word;
  }
  return undefined;
}
