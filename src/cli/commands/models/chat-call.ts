/** `gateway chat`: sends a prompt to a model through the gateway, as any client does. */
import OpenAI, { APIError } from 'openai';
import { AppError } from '../../../domain/errors/errors.ts';
import type { Cli } from '../../cli.ts';
import { liveAddress } from '../../servers/server-address.ts';
import { printPlanIfDryRun, withTemporaryToken } from './temporary-token.ts';

export interface Question {
  readonly prompt: string;
  readonly model: string;
  readonly system: string | undefined;
  readonly temperature: number | undefined;
  readonly isStream: boolean;
  readonly group: string | undefined;
  readonly user: string | undefined;
}

const BUDGET_USD = '1';
const LASTS_MS = 10 * 60_000;

/** @throws AppError `chat_refused` with the gateway's message. */
export async function chat(cli: Cli, question: Question): Promise<void> {
  const { prompt: text } = question;
  const prompt = text === '-' ? await cli.fileText('<prompt>', text) : text;
  const { quotaPerUnit } = await cli.session();
  const units = cli.values.units({ usd: BUDGET_USD }, quotaPerUnit) ?? 0;
  const { group, user } = question;
  const tokenRequest = { purpose: 'chat', units, lastsMs: LASTS_MS, group, user };
  if (printPlanIfDryRun(cli, tokenRequest)) return;
  const url = await liveAddress(cli);
  const { answer, bill } = await withTemporaryToken(cli, tokenRequest, ({ key }) =>
    completion(cli, clientOf(cli, url, key), { ...question, prompt }),
  );
  if (cli.format() === 'table') return;
  await cli.print(
    { model: question.model, answer, ...bill },
    { columns: ['answer'], id: 'answer' },
  );
}

/** A refusal comes in the language of the terminal. */
function clientOf({ language }: Cli, url: string, apiKey: string): OpenAI {
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
