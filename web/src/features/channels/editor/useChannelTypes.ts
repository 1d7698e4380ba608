/** Channel types known to the gateway, and the usual models of each. */

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isObject, parseJson } from '../../../../../src/json/read-json.ts';
import { RARELY_CHANGED_STALE_MS } from '../../../lib/api/query-client.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { STORED } from '../../../lib/browser/stored.ts';
import { channelModels, typicalModels } from '../calls.ts';

export type TypeFacts = Awaited<ReturnType<typeof channelModels.types>>[number];

/** Empty until loaded. */
export function useChannelTypes(): ReadonlyMap<number, TypeFacts> {
  const { data } = useQuery({
    queryKey: channelKeys.part('types'),
    queryFn: ({ signal }) => channelModels.types({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    select: byType,
  });
  return data ?? NO_TYPES;
}

/** A stable function reference, so that the map changes only with the response. */
function byType(types: readonly TypeFacts[]): ReadonlyMap<number, TypeFacts> {
  return new Map(types.map((facts) => [facts.type, facts]));
}

const NO_TYPES: ReadonlyMap<number, TypeFacts> = new Map();

/** Models that their makers no longer sell; empty until loaded. */
export function useRetiredModels(): ReadonlySet<string> {
  const { data } = useQuery({
    queryKey: channelKeys.part('retired-models'),
    queryFn: ({ signal }) => channelModels.retired({}, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
    select: asSet,
  });
  return data ?? NO_NAMES;
}

const asSet = (names: readonly string[]): ReadonlySet<string> => new Set(names);

const NO_NAMES: ReadonlySet<string> = new Set();

export type ModelsByType = Readonly<Record<string, readonly string[]>>;

/** By type number. Uses the copy stored in this browser until the response arrives. */
export function useTypicalModels(): ModelsByType {
  const { data } = useQuery({
    queryKey: channelKeys.part('usual-models'),
    queryFn: ({ signal }) => typicalModels.byType({}, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
  });
  useEffect(() => {
    if (data) STORED.channelModels.write(JSON.stringify(data));
  }, [data]);
  return data ?? keptModels(STORED.channelModels.read());
}

/** Anything but a map of name lists counts as nothing stored. */
export function keptModels(text: string): ModelsByType {
  const value = parseJson(text);
  if (!isObject(value)) return {};
  const isNameList = (models: unknown): models is string[] =>
    Array.isArray(models) && models.every((model) => typeof model === 'string');
  return Object.fromEntries(
    Object.entries(value).flatMap(([type, models]) => (isNameList(models) ? [[type, models]] : [])),
  );
}
