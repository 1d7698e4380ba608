/** Finds models that tokens of a document are limited to, but that no channel serves to their owners. */
import { lookupName } from '../../domain/channels/model-names.ts';
import type { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import type { LocalApi } from '../../session/session.ts';
import { tokensNamed, unlessMissing } from '../lookup/find-by-name.ts';
import type { SiteChannel, SiteToken } from './document.ts';

interface Offer {
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly prefix: string;
}

/** @param mayUse whether the owner of a token may use a group. */
export async function unservedModels(
  api: LocalApi,
  channels: readonly SiteChannel[],
  tokens: readonly SiteToken[],
  mayUse: (token: SiteToken, group: string) => boolean,
): Promise<AppError[]> {
  if (tokens.every(({ model_limits: models }) => !models)) return [];
  const offers = await offersOf(api, channels);
  const problems = await Promise.all(
    tokens.map(async (token, index) => {
      const known = new Set(
        offers
          .filter(({ groups }) => groups.some((group) => mayUse(token, group)))
          .flatMap(({ models, prefix }) => models.map((model) => prefix + model)),
      );
      const model = splitList(token.model_limits ?? '').find(
        (name) => !known.has(name) && !known.has(lookupName(name)),
      );
      if (model === undefined || (await isStored(api, token))) return [];
      return [invalidInput(`tokens.${index}.model_limits`, 'model_unserved', { model })];
    }),
  );
  return problems.flat();
}

/** What the channels will offer: those of the site, as the document changes and adds them. */
async function offersOf(api: LocalApi, channels: readonly SiteChannel[]): Promise<Offer[]> {
  const offers = new Map<string | number, Offer>();
  const ids = new Map<string, string | number>();
  for (const channel of (await api.channelTransfer.exportAll({})).channels) {
    const { id, name, models, group: groups, model_prefix: prefix = '' } = channel;
    ids.set(name, id ?? name);
    offers.set(id ?? name, { models, groups, prefix });
  }
  for (const { id, name, models, group, groups, model_prefix } of channels) {
    const key = id ?? ids.get(name) ?? name;
    const before = offers.get(key);
    const named = group ?? groups;
    offers.set(key, {
      models: models === undefined ? (before?.models ?? []) : splitList(models),
      groups: named === undefined ? (before?.groups ?? ['default']) : splitList(named),
      prefix: model_prefix ?? before?.prefix ?? '',
    });
  }
  return [...offers.values()];
}

/** Limits that stay as they are stored are not checked again. */
async function isStored(api: LocalApi, { user, name, model_limits }: SiteToken): Promise<boolean> {
  const owner = await unlessMissing(api.user.getByName({ username: user }));
  if (owner === undefined) return false;
  const tokens = await tokensNamed(api, name, { user: owner.id });
  return tokens.some((token) => token.model_limits === model_limits);
}
