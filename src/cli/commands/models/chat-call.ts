/** `gateway chat`: sends a prompt to a model through the gateway, as any client does. */
import OpenAI, { APIError } from 'openai';
import { AppError } from '../../../domain/errors/errors.ts';
import type { Cli } from '../../cli.ts';
import { type TokenTarget, withTemporaryToken } from './temporary-token.ts';

export interface Question {
  readonly prompt: string;
  readonly model: string;
  readonly system?: string;
  readonly temperature: number | undefined;
  readonly isStream: boolean;
  readonly group?: string;
  readonly user?: string;
}

const BUDGET = { usd: '1' };
const LASTS_MS = 10 * 60_000;

/** @throws AppError `chat_refused` with the gateway's message. */
export async function chat(cli: Cli, question: Question): Promise<void> {
  const { prompt: text } = question;
  const prompt = text === '-' ? await cli.fileText('<prompt>', text) : text;
  const { model, group, user } = question;
  const tokenRequest = { purpose: 'chat', budget: BUDGET, lastsMs: LASTS_MS, group, user };
  const done = await withTemporaryToken(cli, tokenRequest, (target) =>
    completion(cli, clientOf(cli, target), { ...question, prompt }),
  );
  if (done === undefined || cli.format() === 'table') return;
  const { answer, bill } = done;
  await cli.print({ model, answer, ...bill }, { columns: ['answer'], id: 'answer' });
}

/** A refusal comes in the language of the terminal. */
function clientOf({ language }: Cli, { url, key: apiKey }: TokenTarget): OpenAI {
  const defaultHeaders = { 'accept-language': language };
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, defaultHeaders });
}

/** Returns the whole response; in table format it is printed while it arrives. */
async function completion(cli: Cli, client: OpenAI, question: Question): Promise<string> {
  const { model, temperature, isStream } = question;
  const isForPerson = cli.format() === 'table';
  const body = {
    model,
    messages: messagesOf(question),
    ...(temperature !== undefined && { temperature }),
  };
  try {
    const text = isStream
      ? await streamed(client, body, cli.io.signal, (part) => isForPerson && cli.io.out(part))
      : await whole(client, body, cli.io.signal);
    if (isForPerson) cli.io.out(isStream ? '\n' : `${text}\n`);
    return text;
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    throw new AppError('chat_refused', { problem: error.message }, { cause: error });
  }
}

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;

function messagesOf({ system, prompt }: Question): Body['messages'] {
  const own = { role: 'user', content: prompt } as const;
  return system === undefined ? [own] : [{ role: 'system', content: system }, own];
}

async function whole(client: OpenAI, body: Body, signal: AbortSignal): Promise<string> {
  const answer = await client.chat.completions.create(body, { signal });
  return answer.choices[0]?.message.content ?? '';
}

async function streamed(
  client: OpenAI,
  body: Body,
  signal: AbortSignal,
  onText: (part: string) => void,
): Promise<string> {
  const parts: string[] = [];
  const stream = await client.chat.completions.create({ ...body, stream: true }, { signal });
  for await (const chunk of stream) {
    const part = chunk.choices[0]?.delta.content ?? '';
    onText(part);
    parts.push(part);
  }
  return parts.join('');
}
