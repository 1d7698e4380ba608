/** Maps Ink's input events to key names. */
import { type Key, useInput } from 'ink';
import { useRef } from 'react';

const ARROWS = ['upArrow', 'downArrow', 'leftArrow', 'rightArrow'] as const;
const OTHERS = ['pageUp', 'pageDown', 'home', 'end', 'return', 'escape', 'tab'] as const;
const FLAGS = [...ARROWS, ...OTHERS, 'backspace', 'delete'] as const;

const CHARACTERS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  ' ': 'space',
};

/** Sequences that Ink passes on without their escape character. */
const FOCUS: Readonly<Record<string, string>> = { '[I': 'focus', '[O': 'blur' };
const PASTE_START = '[200~';
const PASTE_END = '[201~';
const UNKNOWN_SEQUENCE = /^\[[0-9;?<]+[A-Za-z~]$/u;

/**
 * Calls `onKey` with the name of each key: a letter as itself, `space`, `enter`, `ctrl+d`,
 * `pageup`, `focus`, or `paste:<text>`.
 */
export function useKeys(onKey: (key: string) => void): void {
  const pasted = useRef<string>(undefined);
  useInput((input, key) => {
    if (input === PASTE_START) {
      pasted.current = '';
    } else if (input === PASTE_END) {
      onKey(`paste:${pasted.current ?? ''}`);
      pasted.current = undefined;
    } else if (pasted.current !== undefined) {
      pasted.current += key.return ? '\n' : key.tab ? '\t' : input;
    } else {
      for (const name of keyNames(input, key)) onKey(name);
    }
  });
}

/** Several keys if they arrived at once. */
function keyNames(input: string, key: Key): readonly string[] {
  const flag = FLAGS.find((each) => key[each]);
  if (flag === 'return') return ['enter'];
  if (flag === 'tab' && key.shift) return ['shift+tab'];
  if (flag !== undefined) return [flag.replace('Arrow', '').toLowerCase()];
  if (key.ctrl) return [`ctrl+${input}`];
  const focus = FOCUS[input];
  if (focus !== undefined) return [focus];
  if (UNKNOWN_SEQUENCE.test(input)) return [];
  const chars = [...new Intl.Segmenter().segment(input)].map(({ segment }) => charName(segment));
  // Ink merges an escape with the following letter.
  return key.meta ? ['escape', ...chars] : chars;
}

function charName(char: string): string {
  const named = CHARACTERS[char === '\r\n' ? '\r' : char];
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCodePoint(code + 96)}` : char;
}

/**
 * Terminals send DEL for Backspace, which Ink reports as the Delete key, and Delete removes rows
 * here. BS is reported as Backspace.
 */
export function withBackspace(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  return new Proxy(stdin, {
    get(target, name) {
      if (name === 'read')
        return () => target.read()?.toString().replaceAll('\u007F', '\b') ?? null;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
