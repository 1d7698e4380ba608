/** The frames of a protocol that answers a chat (`templates.ts`), for a choice of the answer. */
import { CALL_TOKENS, type Choice, type ToolCall } from '../content/choices.ts';
import { tokensIn } from '../content/text.ts';
import type { Chunk } from './chunk.ts';
import { applies, filled, filledFor, type Template, templates, type Values } from './templates.ts';

interface Line extends Template {
  /**
   * The answer that is not streamed, an entry of `$calls`, or a frame of a stream: one, one for each
   * piece of reasoning, text or a call's arguments, or one if there are such pieces.
   */
  readonly for:
    | ('whole' | 'call in a list' | 'once' | 'end' | 'call')
    | ('thought' | 'piece' | 'argument' | 'if thoughts' | 'if text' | 'if calls');
  /** The name of the event. */
  readonly event?: string;
}

export interface FrameSet {
  whole(choice: Choice, values: Values): Values;
  stream(choice: Choice, values: Values): readonly Chunk[];
}

export function frameSet(name: string): FrameSet {
  const lines = templates<Line>(name);
  const inCalls = lines.filter((line) => line.for === 'call' || line.for === 'argument');
  const valuesOf = (choice: Choice, values: Values): Values => {
    const calls = choice.calls.map((call, at) => {
      const own = ofCall(choice, call, at);
      return filledFor(lines, 'call in a list', own) ?? {};
    });
    const listed = choice.legacyCall ? { legacyCall: calls[0] } : { calls };
    return { ...ofChoice(choice), ...(calls.length > 0 ? listed : {}), ...values };
  };
  return {
    whole: (choice, values) => filledFor(lines, 'whole', valuesOf(choice, values)) ?? {},
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

function framesOf(line: Line, values: Values, pieces: readonly string[]): Chunk[] {
  if (!applies(line, values)) return [];
  return pieces.map((piece) => {
    const body = filled(line.body, { ...values, piece });
    if (line.event !== undefined) names.set(body, line.event);
    return { body, tokens: tokensOf(line, piece), finishes: line.for === 'end' };
  });
}

function tokensOf(line: Line, piece: string): number {
  if (line.for === 'call') return CALL_TOKENS;
  return piece === '' ? 0 : tokensIn(piece);
}

/** With the position of the text among the blocks of reasoning, text and calls. */
function ofChoice({ index, pieces, reasoning, refused, finish }: Choice): Values {
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
