/** A line of text input with a cursor. Positions count graphemes. */
export interface TextInput {
  readonly chars: readonly string[];
  readonly at: number;
}

export function textInput(text = ''): TextInput {
  const chars = charsOf(text);
  return { chars, at: chars.length };
}

export function textOf({ chars }: TextInput): string {
  return chars.join('');
}

/** Applies a key to the text; returns the same object if the key has no effect. */
export function withKey(input: TextInput, key: string): TextInput {
  const { chars, at } = input;
  switch (key) {
    case 'left':
      return { chars, at: Math.max(0, at - 1) };
    case 'right':
      return { chars, at: Math.min(chars.length, at + 1) };
    case 'home':
    case 'ctrl+a':
      return { chars, at: 0 };
    case 'end':
    case 'ctrl+e':
      return { chars, at: chars.length };
    case 'backspace':
      return at === 0 ? input : { chars: chars.toSpliced(at - 1, 1), at: at - 1 };
    case 'delete':
      return { chars: chars.toSpliced(at, 1), at };
    case 'ctrl+u':
      return { chars: chars.slice(at), at: 0 };
    case 'ctrl+k':
      return { chars: chars.slice(0, at), at };
    case 'ctrl+w': {
      const before = chars.slice(0, at).join('');
      const kept = charsOf(before.replace(/\S+\s*$/u, ''));
      return { chars: [...kept, ...chars.slice(at)], at: kept.length };
    }
    default:
      return inserted(input, key);
  }
}

/** Key names are longer than one character; a paste arrives as `paste:` and its text. */
function inserted(input: TextInput, key: string): TextInput {
  const text = key.startsWith('paste:') ? key.slice('paste:'.length) : key === 'space' ? ' ' : key;
  const isName = text === key && charsOf(key).length !== 1;
  if (isName) return input;
  const fresh = charsOf(text.replace(/\p{Cc}+/gu, ' '));
  const { chars, at } = input;
  return { chars: chars.toSpliced(at, 0, ...fresh), at: at + fresh.length };
}

function charsOf(text: string): string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}
