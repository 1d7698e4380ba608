/** The parts of a vendor's own protocol, and the response built from them. */
import type * as z from 'zod/mini';
import type { FrameSet } from '../answers/frame-set.ts';
import {
  type Composed,
  framedAnswer,
  type OwnValues,
  type Setting,
} from '../answers/framed-answer.ts';
import type { Wire } from '../answers/wires.ts';
import type { ChatBody } from '../dialects/openai/request-fields.ts';

export interface App<S extends z.ZodMiniType = z.ZodMiniType> {
  readonly body: S;
  readonly wire: Wire;
  streams(body: z.output<S>): boolean;
  /** Converts the request to the internal form of this server. */
  chat(body: z.output<S>): ChatBody;
  readonly frames: FrameSet;
  readonly values?: OwnValues;
}

export function app<S extends z.ZodMiniType>(given: App<S>): App {
  return given as unknown as App; // the schema parses the input of the other parts
}

export function questionBody(question: string, model = 'app'): ChatBody {
  return { model, messages: [{ role: 'user', content: question }] };
}

export const BARE: Wire = { named: false, done: false, error: { error: 'broken' } };

/** The response of a protocol in both forms. */
export function composeApp(
  { frames, chat, values }: App,
  body: unknown,
  setting: Setting,
): Composed {
  const own = { ...setting, id: `app-${setting.id}`, model: setting.model || 'app' };
  return framedAnswer(frames, chat(body), own, values);
}
