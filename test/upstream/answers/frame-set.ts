/**
 * Frames of a protocol from `frames/<name>.jsonl`: each line is a frame as on the wire, and what it
 * stands for. A text `$name` is replaced by that value, and `...$name` in a list by the entries of that
 * list. Where the value is absent, the field is left out, and with `$name` the whole entry of a list
 * (not with `$name?`).
 */
import { readFileSync } from 'node:fs';
import type { Choice, ToolCall } from '../content/choices.ts';
import { tokensIn } from '../content/text.ts';
import type { Chunk } from './chunk.ts';

type Body = Readonly<Record<string, unknown>>;

interface Line {
  /**
   * The answer that is not streamed, an entry of `$calls`, or a frame of a stream: one, one for each
   * piece of reasoning, text or a call's arguments, or one if there are such pieces.
   */
  readonly for:
    | ('whole' | 'call in a list' | 'once' | 'end' | 'call')
    | ('thought' | 'piece' | 'argument' | 'if thoughts' | 'if text' | 'if calls');
  /** The name of the event. */
  readonly event?: string;
  readonly body: Body;
}

export interface FrameSet {
  whole(choice: Choice, values: Body): Body;
  stream(choice: Choice, values: Body): readonly Chunk[];
}

export function frameSet(name: string): FrameSet {
  const text = readFileSync(new URL(`../frames/${name}.jsonl`, import.meta.url), 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));
  const bodyFor = (part: Line['for']) => lines.find((line) => line.for === part)?.body ?? {};
  const inCalls = lines.filter((line) => line.for === 'call' || line.for === 'argument');
  const valuesOf = (choice: Choice, values: Body): Body => {
    const calls = choice.calls.map((call, at) =>
      filled(bodyFor('call in a list'), ofCall(choice, call, at)),
    );
    return { ...ofChoice(choice), calls: calls.length > 0 ? calls : undefined, ...values };
  };
  return {
    whole: (choice, values) => filled(bodyFor('whole'), valuesOf(choice, values)),
    stream(choice, given) {
      const values = valuesOf(choice, given);
      const ofCalls = choice.calls.flatMap((call, at) =>
        inCalls.flatMap((line) =>
          framesOf(
            line,
            { ...values, ...ofCall(choice, call, at) },
            line.for === 'call' ? [''] : call.pieces,
          ),
        ),
      );
      return lines.flatMap((line) => {
        if (inCalls.includes(line)) return line === inCalls[0] ? ofCalls : [];
        return framesOf(line, values, piecesFor(line, choice));
      });
    },
  };
}

/** The pieces that a line stands for; '' is none. */
function piecesFor(line: Line, { reasoning, pieces, calls }: Choice): readonly string[] {
  const once = (isSent: boolean) => (isSent ? [''] : []);
  const found: Partial<Record<Line['for'], readonly string[]>> = {
    once: [''],
    end: [''],
    thought: reasoning,
    piece: pieces,
    'if thoughts': once(reasoning.length > 0),
    'if text': once(pieces.length > 0),
    'if calls': once(calls.length > 0),
  };
  return found[line.for] ?? [];
}

/** The names of events whose bodies do not contain them. */
const names = new WeakMap<object, string>();

export function eventName(body: object): string | undefined {
  return names.get(body);
}

function framesOf(line: Line, values: Body, pieces: readonly string[]): Chunk[] {
  return pieces.map((piece) => {
    const body = filled(line.body, { ...values, piece });
    if (line.event !== undefined) names.set(body, line.event);
    return { body, tokens: piece === '' ? 0 : tokensIn(piece), finishes: line.for === 'end' };
  });
}

/** With the position of the text among the blocks of reasoning, text and calls. */
function ofChoice({ pieces, reasoning, finish }: Choice): Body {
  const text = pieces.join('');
  const thoughts = reasoning.join('') || undefined;
  const textAt = reasoning.length > 0 ? 1 : 0;
  return { text, said: text || undefined, thoughts, finish, isCut: finish === 'length', textAt };
}

function ofCall({ reasoning, pieces: text }: Choice, { id, name, pieces }: ToolCall, at: number) {
  const args = pieces.join('');
  const callAt = Number(reasoning.length > 0) + Number(text.length > 0) + at;
  const input: unknown = JSON.parse(args || '{}');
  return { callId: id, name, index: at, callAt, arguments: args, input };
}

function filled(template: Body, values: Body): Body {
  const fields = Object.entries(template).map(([name, given]) => [name, replaced(given, values)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function replaced(given: unknown, values: Body): unknown {
  if (typeof given === 'string') {
    const name = /^\$(\w+)\??$/.exec(given)?.[1];
    return name === undefined ? given : values[name];
  }
  if (Array.isArray(given)) return given.flatMap((entry) => entriesOf(entry, values));
  const isObject = typeof given === 'object' && given !== null;
  return isObject ? filled(Object.fromEntries(Object.entries(given)), values) : given;
}

function entriesOf(entry: unknown, values: Body): unknown[] {
  const list = /^\.\.\.\$(\w+)$/.exec(String(entry))?.[1];
  if (list !== undefined) return [values[list] ?? []].flat();
  const needed = JSON.stringify(entry).matchAll(/"\$(\w+)"/g);
  const isWhole = [...needed].every(([, name = '']) => values[name] !== undefined);
  return isWhole ? [replaced(entry, values)] : [];
}
