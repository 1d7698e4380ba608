/** The models that `gateway run` starts a program with. */
import {
  type Client,
  chatModels,
  clientTitle,
  fittingModel,
  smallModelFor,
} from '../../../domain/coding-clients.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { isObject, objectsIn, textIn } from '../../../json/read-json.ts';
import type { Cli } from '../../cli.ts';

export interface RunModels {
  readonly model: string;
  readonly smallModel: string;
}

interface Wanted {
  /** Undefined for a program that is not in the table. */
  readonly client: Client | undefined;
  readonly program: string;
  readonly model: string | undefined;
}

/**
 * The named model; else the fitting one of those the key may call, which a terminal confirms.
 * @throws AppError argument_invalid: no channel serves the named model; names those that look like it.
 */
export async function runModels(
  cli: Cli,
  { url, key }: { readonly url: string; readonly key: string },
  { client, program, model: named }: Wanted,
): Promise<RunModels> {
  const models = await callableModels(cli, url, key);
  if (named !== undefined && !models.includes(named))
    throw cli.values.notAmong('--model', named, models, 'unknown_model');
  const model = named ?? (await chosenModel(cli, client, program, models));
  const smallModel = smallModelFor(model, models);
  if (named === undefined && !cli.mayAsk())
    cli.note(cli.t('cli.notes.model_chosen', { model, small: smallModel }));
  return { model, smallModel };
}

async function chosenModel(
  cli: Cli,
  client: Client | undefined,
  program: string,
  models: readonly string[],
): Promise<string> {
  const fitting = fittingModel(client, models);
  if (fitting === undefined) throw cli.values.refuse('--model', 'no_model');
  const choices = chatModels(models).map((value) => ({ value }));
  if (!cli.mayAsk() || choices.length < 2) return fitting;
  const title = client === undefined ? program : clientTitle(client);
  const question = cli.t('cli.ask.run_model', { program: title });
  return cli.choose(question, '--model', choices, fitting);
}

/** As the program would get them; not those without a price or outside the group. */
async function callableModels(cli: Cli, url: string, key: string): Promise<string[]> {
  const answer = await fetch(`${url}/v1/models`, {
    headers: { authorization: `Bearer ${key}`, 'accept-language': cli.language },
    signal: cli.io.signal,
  });
  const body: unknown = await answer.json();
  if (answer.ok && isObject(body))
    return objectsIn(body, 'data').flatMap((model) => textIn(model, 'id') ?? []);
  const error = isObject(body) && isObject(body.error) ? textIn(body.error, 'message') : undefined;
  throw new AppError('chat_refused', { problem: error ?? String(answer.status) });
}
