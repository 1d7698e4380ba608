/**
 * Keys by name from what a terminal sends. Ink's own reading gives Backspace and Delete one name,
 * and here one closes and the other deletes.
 */
const SEQUENCES: Readonly<Record<string, string>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[3~': 'delete',
  '[5~': 'pageup',
  '[6~': 'pagedown',
  '[Z': 'shift+tab',
  '[I': 'focus',
  '[O': 'blur',
};

const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007F': 'backspace',
  ' ': 'space',
};

const PASTE_START = '\u001B[200~';
const PASTE_END = '\u001B[201~';
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's keys are control sequences.
const SEQUENCE = /^\u001B(\[[0-9;?<]*[A-Za-z~]|O[A-Za-z])/u;

export interface Decoded {
  readonly keys: readonly string[];
  /** The beginning of a sequence whose end has not come yet. */
  readonly rest: string;
}

/** A key with the characters it took; undefined while its end has not come. */
interface Taken {
  readonly key: string | undefined;
  readonly size: number;
}

/**
 * The names of the keys in `chunk`: a letter as itself, `space`, `enter`, `ctrl+d`, `pageup`,
 * `paste:<text>`. `isEnd`: nothing more comes, so a lone escape is the key of that name.
 */
export function decodeKeys(chunk: string, isEnd = false): Decoded {
  const keys: string[] = [];
  let rest = chunk;
  while (rest !== '') {
    const taken = rest.startsWith('\u001B') ? takeEscape(rest, isEnd) : takeChar(rest);
    if (taken === undefined) return { keys, rest };
    if (taken.key !== undefined) keys.push(taken.key);
    rest = rest.slice(taken.size);
  }
  return { keys, rest: '' };
}

function takeChar(text: string): Taken {
  const [char = ''] = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return { key: nameOf(char === '\r\n' ? '\r' : char), size: char.length };
}

function takeEscape(text: string, isEnd: boolean): Taken | undefined {
  if (text.startsWith(PASTE_START)) return takePaste(text, isEnd);
  const [sequence, name] = SEQUENCE.exec(text) ?? [];
  if (sequence !== undefined && name !== undefined)
    return { key: SEQUENCES[name] ?? withoutModifier(name), size: sequence.length };
  return !isEnd && isUnfinished(text) ? undefined : { key: 'escape', size: 1 };
}

function takePaste(text: string, isEnd: boolean): Taken | undefined {
  const end = text.indexOf(PASTE_END);
  if (end < 0 && !isEnd) return undefined;
  const pasted = text.slice(PASTE_START.length, end < 0 ? undefined : end);
  return { key: `paste:${pasted}`, size: end < 0 ? text.length : end + PASTE_END.length };
}

/** `[1;2A`, an arrow with Shift, moves as the arrow does. */
function withoutModifier(name: string): string | undefined {
  const [, head = '', tail = ''] = /^(\[)1;\d+([A-Z])$/.exec(name) ?? [];
  return SEQUENCES[head + tail];
}

function isUnfinished(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  return /^\u001B(\[[0-9;?<]*|O)?$/u.test(text);
}

function nameOf(char: string): string {
  const named = CONTROLS[char];
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCodePoint(code + 96)}` : char;
}
