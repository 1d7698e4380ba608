/** The parts of a vendor's own protocol, and the response built from them. */
import type * as z from 'zod/mini';
import type { Chunk } from '../answers/chunk.ts';
import type { Wire } from '../answers/wires.ts';
import { type Choice, chatChoices } from '../content/choices.ts';
import { tokensIn } from '../content/text.ts';
import { chatUsage, type Usage } from '../content/usage.ts';
import type { Composed, Setting } from '../dialects/openai/chat-completions.ts';
import type { ChatBody } from '../dialects/openai/request-fields.ts';

/** A protocol's output for one choice. */
export interface VendorAnswer {
  readonly choice: Choice;
  readonly usage: Usage;
  readonly id: string;
  readonly model: string;
}

export interface App<S extends z.ZodMiniType = z.ZodMiniType> {
  readonly body: S;
  readonly wire: Wire;
  streams(body: z.output<S>): boolean;
  /** Converts the request to the internal form of this server. */
  chat(body: z.output<S>): ChatBody;
  plain(answer: VendorAnswer, body: z.output<S>): Readonly<Record<string, unknown>>;
  frames(answer: VendorAnswer, body: z.output<S>): readonly Chunk[];
}

export function app<S extends z.ZodMiniType>(given: App<S>): App {
  return given as unknown as App; // the schema parses the input of the other parts
}

export function frame(fields: object, tokens = 0, finishes = false): Chunk {
  return { body: { ...fields }, tokens, finishes };
}

export function questionBody(question: string, model = 'app'): ChatBody {
  return { model, messages: [{ role: 'user', content: question }] };
}

export function texts({ choice }: VendorAnswer, write: (text: string) => object): Chunk[] {
  return choice.pieces.map((text) => frame(write(text), tokensIn(text)));
}

export function textOf({ choice }: VendorAnswer): string {
  return choice.pieces.join('');
}

export const BARE: Wire = { named: false, done: false, error: { error: 'broken' } };

/** The response of a protocol in both forms; `streamed` is what the body requests. */
export function composeApp(
  protocol: App,
  body: unknown,
  setting: Setting,
): { readonly composed: Composed; readonly streamed: boolean } {
  const chat = protocol.chat(body);
  const [choice] = chatChoices(chat, setting.plan);
  const usage = chatUsage(chat, choice === undefined ? [] : [choice]);
  const model = setting.model || 'app';
  const answer = choice && { choice, usage, id: `app-${setting.id}`, model };
  const head = { id: setting.id, object: '', created: 0, model };
  const chunks = answer === undefined ? [] : protocol.frames(answer, body);
  return {
    streamed: protocol.streams(body),
    composed: {
      usage,
      plain: answer === undefined ? {} : protocol.plain(answer, body),
      stream: { head, usage, chunks },
    },
  };
}
