/** `gateway api`: any call of the management API, as it is written in its description. */
import type { Call, Calls } from '../../../api/call.ts';
import type { QueryParameters } from '../../../api/read-query.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { type JsonFields, parsedFields } from '../../../domain/json-fields.ts';
import type { LocalApi } from '../../../session/session.ts';
import { command, type Noun } from '../../command.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** How `--dry-run` names what a call would do. */
const ACTIONS = { GET: 'update', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

const run = command({
  usage: 'api <method> <path>',
  flags: ['--body <json>'],
  examples: [
    'api GET "/api/channel/?status=2"',
    'api GET /api/channel/3',
    `api PUT /api/option/ --body '{"key": "RetryTimes", "value": 3}'`,
    'api POST /api/message/ --body @message.json',
  ],
  async run(cli, { method: typed, path, body: given }) {
    const method = cli.values.choice('<method>', typed.toUpperCase(), METHODS);
    const body = fieldsOf(cli.values.json('--body', given));
    const { apiCalls } = await import('../../../api/all.ts');
    const { readQuery } = await import('../../../api/read-query.ts');
    const url = new URL(path, 'http://gateway');
    const found = routed(apiCalls, method, url.pathname);
    if (found === undefined) throw new AppError('route_unknown', { method, path: url.pathname });
    const { noun, name, call, params } = found;
    const query = readQuery(call, Object.fromEntries(url.searchParams));
    const input = { ...query, ...body, ...params };
    const send = async (client: LocalApi): Promise<unknown> => {
      const run: unknown = Reflect.get(client[noun], name);
      if (typeof run !== 'function') throw new Error(`no client for ${noun}.${name}`);
      return run(input);
    };
    const change = { action: ACTIONS[method], noun, name: `${method} ${url.pathname}` };
    const isRead = method === 'GET' && call.changesData !== true;
    const reply = isRead ? await send(await cli.api()) : await cli.change(change, send);
    if (isStream(reply)) for await (const text of reply) cli.io.out(text);
    else if (reply !== undefined)
      cli.io.out(typeof reply === 'string' ? reply : `${JSON.stringify(reply, null, 2)}\n`);
  },
});

function fieldsOf(json: string | undefined): JsonFields {
  if (json === undefined) return {};
  const fields = parsedFields(json);
  if (fields === undefined) throw new AppError('body_not_object');
  return fields;
}

interface Found {
  readonly noun: keyof LocalApi;
  readonly name: string;
  readonly call: Call;
  readonly params: QueryParameters;
}

/** The call of a path; words of a path come before its parameters. */
function routed(
  tables: Readonly<Record<keyof LocalApi, Calls>>,
  method: string,
  path: string,
): Found | undefined {
  const nouns = Object.keys(tables) as (keyof LocalApi)[]; // a table's own keys
  const found = nouns.flatMap((noun) =>
    Object.entries(tables[noun]).flatMap(([name, call]): Found[] =>
      [call, ...(call.also ?? [])].flatMap((way) => {
        const params = way.method === method ? paramsOf(way.path, path) : undefined;
        return params === undefined ? [] : [{ noun, name, call, params }];
      }),
    ),
  );
  const sizeOf = ({ params }: Found) => Object.keys(params).length;
  return found.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
}

/** Undefined for another path; a slash at the end makes no difference. */
function paramsOf(pattern: string, path: string): QueryParameters | undefined {
  const words = wordsOf(path);
  const expected = wordsOf(pattern);
  if (words.length !== expected.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, word] of expected.entries()) {
    const given = words[at] ?? '';
    if (word.startsWith(':')) params[word.slice(1)] = decodeURIComponent(given);
    else if (word !== given) return undefined;
  }
  return params;
}

function wordsOf(path: string): readonly string[] {
  return path.split('/').filter((word) => word !== '');
}

function isStream(reply: unknown): reply is AsyncIterable<string> {
  return typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply;
}

export const api: Noun = { name: 'api', verbs: [run] };
