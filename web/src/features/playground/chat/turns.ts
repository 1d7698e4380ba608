/** A chat's data: its turns, the request body and the growth of an answer. */
import { PLAYGROUND_MODEL } from '../../../lib/browser/page-links.ts';

export type TurnStatus = 'loading' | 'incomplete' | 'complete' | 'error';

export interface Turn {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The model's reasoning before its answer. */
  readonly reasoning: string;
  /** Data URLs. */
  readonly images: readonly string[];
  readonly status: TurnStatus;
  /** The error of a failed answer. */
  readonly problem: string;
}

export interface PlaygroundSettings {
  readonly model: string;
  /** '' is the user's own group. */
  readonly group: string;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly system: string;
}

export const DEFAULT_SETTINGS: PlaygroundSettings = {
  model: PLAYGROUND_MODEL,
  group: '',
  temperature: 0,
  maxTokens: 0,
  system: '',
};

let made = 0;

export function userTurn(text: string, images: readonly string[] = []): Turn {
  return { ...blank('user'), text, images, status: 'complete' };
}

export function answerTurn(): Turn {
  return blank('assistant');
}

function blank(role: Turn['role']): Turn {
  made += 1;
  const id = `${role}-${Date.now().toString(36)}-${made}`;
  return { id, role, text: '', reasoning: '', images: [], status: 'loading', problem: '' };
}

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly Part[];
}

export interface ChatBody {
  readonly model: string;
  readonly group?: string;
  readonly messages: readonly Message[];
  readonly stream: true;
  readonly stream_options: { readonly include_usage: true };
  readonly temperature: number;
  readonly max_tokens: number;
}

/** The request body for the next answer; answers without text are omitted. */
export function bodyOf(turns: readonly Turn[], settings: PlaygroundSettings): ChatBody {
  const { model, group, temperature, maxTokens, system } = settings;
  const answered = turns.filter(({ role, text }) => role === 'user' || text !== '');
  return {
    model,
    ...(group !== '' && { group }),
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system } as const]),
      ...answered.map(messageOf),
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature,
    max_tokens: maxTokens,
  };
}

function messageOf({ role, text, images }: Turn): Message {
  if (images.length === 0) return { role, content: text };
  const pictures = images.map((url) => ({ type: 'image_url', image_url: { url } }) as const);
  return {
    role,
    content: [...(text === '' ? [] : [{ type: 'text', text } as const]), ...pictures],
  };
}

/** All turns before the given one. */
export function turnsBefore(turns: readonly Turn[], id: string): readonly Turn[] {
  const index = turns.findIndex((turn) => turn.id === id);
  return index < 0 ? turns : turns.slice(0, index);
}

/** Removes a question with its answer, or an answer alone. */
export function withoutTurn(turns: readonly Turn[], id: string): readonly Turn[] {
  const index = turns.findIndex((turn) => turn.id === id);
  const [turn, next] = [turns[index], turns[index + 1]];
  const takesNext = turn?.role === 'user' && next?.role === 'assistant';
  return index < 0 ? turns : turns.toSpliced(index, takesNext ? 2 : 1);
}

/** The request as a curl command, with an API key instead of this page's session. */
export function chatCurl(url: string, { group: _, ...body }: ChatBody): string {
  const text = JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''");
  return `curl -N ${url}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${text}'`;
}
