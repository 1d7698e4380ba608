/**
 * Frames of a protocol from `frames/<name>.jsonl`: each line is a frame as on the wire, and what it
 * stands for. A text `$name` is replaced by that value, `${name}` within a text too, `...$name` in a list
 * by the entries of that list, and the field `...` by the fields of its value. Where the value is
 * absent, the field is left out, and with `$name` the whole entry of the next list (not with `$name?`). A
 * function is called with the piece.
 */
import { readFileSync } from 'node:fs';
import { CALL_TOKENS, type Choice, type ToolCall } from '../content/choices.ts';
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
  /** Only where this value is true; with `!`, where it is not. */
  readonly when?: string;
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
  const bodyFor = (part: Line['for'], values: Body) =>
    lines.find((line) => line.for === part && applies(line, values))?.body ?? {};
  const inCalls = lines.filter((line) => line.for === 'call' || line.for === 'argument');
  const valuesOf = (choice: Choice, values: Body): Body => {
    const calls = choice.calls.map((call, at) => {
      const own = ofCall(choice, call, at);
      return filled(bodyFor('call in a list', own), own);
    });
    const listed = choice.legacyCall ? { legacyCall: calls[0] } : { calls };
    return { ...ofChoice(choice), ...(calls.length > 0 ? listed : {}), ...values };
  };
  return {
    whole: (choice, values) => filled(bodyFor('whole', values), valuesOf(choice, values)),
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
  if (!applies(line, values)) return [];
  return pieces.map((piece) => {
    const body = filled(line.body, { ...values, piece });
    if (line.event !== undefined) names.set(body, line.event);
    return { body, tokens: tokensOf(line, piece), finishes: line.for === 'end' };
  });
}

function applies({ when }: Line, values: Body): boolean {
  if (when === undefined) return true;
  return when.startsWith('!') ? !values[when.slice(1)] : Boolean(values[when]);
}

function tokensOf(line: Line, piece: string): number {
  if (line.for === 'call') return CALL_TOKENS;
  return piece === '' ? 0 : tokensIn(piece);
}

/** With the position of the text among the blocks of reasoning, text and calls. */
function ofChoice({ index, pieces, reasoning, refused, finish }: Choice): Body {
  const text = pieces.join('');
  const said = text || undefined;
  return {
    ...{ choiceAt: index, text, said, finish, isCut: finish === 'length' },
    ...(refused ? { refusal: said } : { spoken: said }),
    thoughts: reasoning.join('') || undefined,
    textAt: reasoning.length > 0 ? 1 : 0,
  };
}

function ofCall({ reasoning, pieces: text, legacyCall }: Choice, call: ToolCall, at: number) {
  const { id, name, kind, pieces } = call;
  const args = pieces.join('');
  const isCustom = kind === 'custom';
  const input: unknown = isCustom ? args : JSON.parse(args || '{}');
  return {
    ...{ callId: id, callKey: id.replace('call_', ''), name, arguments: args, input },
    ...{ isCustom, isLegacy: legacyCall, isFunction: !isCustom && !legacyCall },
    ...{ index: at, isFirst: at === 0 },
    callAt: Number(reasoning.length > 0) + Number(text.length > 0) + at,
  };
}

function filled(template: Body, values: Body): Body {
  const fields = Object.entries(template).flatMap(([name, given]): [string, unknown][] => {
    const value = replaced(given, values);
    return name === '...' ? Object.entries({ ...Object(value) }) : [[name, value]];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function replaced(given: unknown, values: Body): unknown {
  if (typeof given === 'string') {
    const name = /^\$(\w+)\??$/.exec(given)?.[1];
    if (name === undefined)
      return given.replace(/\$\{(\w+)\}/g, (_, part: string) => String(values[part]));
    const value = values[name];
    return typeof value === 'function' ? value(values.piece) : value;
  }
  if (Array.isArray(given)) return given.flatMap((entry) => entriesOf(entry, values));
  const isObject = typeof given === 'object' && given !== null;
  return isObject ? filled(Object.fromEntries(Object.entries(given)), values) : given;
}

function entriesOf(entry: unknown, values: Body): unknown[] {
  const list = /^\.\.\.\$(\w+)$/.exec(String(entry))?.[1];
  if (list !== undefined) return [values[list] ?? []].flat();
  const outsideLists = JSON.stringify(entry, (_, value) => (Array.isArray(value) ? [] : value));
  const needed = outsideLists.matchAll(/"\$(\w+)"/g);
  const isWhole = [...needed].every(([, name = '']) => values[name] !== undefined);
  return isWhole ? [replaced(entry, values)] : [];
}
