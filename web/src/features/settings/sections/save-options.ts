/** Saves options one by one, and asks about those that another administrator has changed meanwhile. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type OptionKey, optionRowOf } from '../../../../../src/domain/options/registry.ts';
import type { ConflictingChange } from '../../../components/forms/ConflictModal.tsx';
import { resolveConflict } from '../../../components/forms/conflict.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { groupKeys, optionKeys, priceKeys } from '../../../lib/api/query-keys.ts';
import { type Edits, isConflict, mergedMap } from '../../../lib/text/merge.ts';
import { options } from '../calls.ts';
import { useFieldTexts } from '../fields/field-texts.ts';
import { type SaveResult, type SettingDraft, saveEach, saveOrder } from './draft.ts';

export type OptionErrors = Readonly<Partial<Record<OptionKey, string>>>;

interface SaveDeps {
  readonly check: (keys: readonly OptionKey[], draft: SettingDraft) => boolean;
  /** The value the edit was based on; undefined if unknown. */
  readonly beforeOf: (key: OptionKey) => string | undefined;
  readonly forget: (keys: readonly OptionKey[]) => void;
  readonly setErrors: (change: (now: OptionErrors) => OptionErrors) => void;
}

export function useSaveOptions({ check, beforeOf, forget, setErrors }: SaveDeps) {
  const { t } = useTranslation();
  const { name, failure } = useFieldTexts();
  const cache = useQueryClient();
  const [isSaving, setSaving] = useState(false);

  const save = async (keys: readonly OptionKey[], draft: SettingDraft): Promise<boolean> => {
    if (isSaving) return false;
    if (keys.length === 0) {
      toast.info(t('setting.nothing'));
      return false;
    }
    if (!check(keys, draft)) return false;
    setSaving(true);
    const order = saveOrder(keys, draft);
    const put = (key: OptionKey) =>
      options.set({ key, value: draft[key] ?? '', before: beforeOf(key) });
    const first = await saveEach(order, put);
    await refresh();
    const { saved, failed } = await withConflictsResolved(first, draft);
    forget(saved);
    const texts = failed.map(({ key, error }) => [key, failure(error)]);
    setErrors((now) => ({ ...withoutKeys(now, saved), ...Object.fromEntries(texts) }));
    setSaving(false);
    if (failed.length === 0) {
      toast.success(t('setting.saved'));
      return true;
    }
    const text = t(saved.length > 0 ? 'setting.savedPartly' : 'setting.savedNone');
    const names = failed.map(({ key }) => name(key));
    toast.error(t('part.named', { name: text, value: names }));
    return false;
  };

  /** Asks whose values to keep for options that another administrator has changed meanwhile. */
  const withConflictsResolved = async (first: SaveResult, draft: SettingDraft) => {
    const changed = first.failed.filter(({ error }) => isChangedMeanwhile(error));
    if (changed.length === 0) return first;
    const current = await options.list({}).catch(() => undefined);
    const changes = await Promise.all(changed.map(({ key }) => latestChange(key)));
    // The fields stay marked as changed meanwhile, and the user can save again.
    if (current === undefined) return first;
    const theirs = new Map(current.map(({ key, value }) => [key, value]));
    const conflicts = changed.map(({ key }, at) => {
      const base = beforeOf(key) ?? '';
      const texts = { base, mine: draft[key] ?? '', theirs: theirs.get(key) ?? '' };
      const both = bothOf(key, texts);
      return { field: key, label: name(key), ...texts, both, change: changes[at] };
    });
    // Where the other edit has been undone or is the same as this one, there is nothing to choose.
    const real = conflicts.filter(isConflict);
    const resolution = real.length === 0 ? {} : await resolveConflict(real);
    if (resolution === undefined) return first;
    const keys = changed.map(({ key }) => key);
    const second = await saveEach(keys, (key) =>
      options.set({ key, value: resolution[key] ?? draft[key] ?? '', before: theirs.get(key) }),
    );
    await refresh();
    const others = first.failed.filter(({ key }) => !keys.includes(key));
    return {
      saved: [...first.saved, ...second.saved],
      failed: [...others, ...second.failed],
    };
  };

  /** Options also affect the status, groups and prices. */
  const refresh = async () => {
    const stale = [optionKeys.all, groupKeys.all, priceKeys.all, ['status'], ['public']];
    await Promise.all(stale.map((queryKey) => cache.invalidateQueries({ queryKey })));
  };

  return { isSaving, save };
}

function bothOf(key: OptionKey, { base, mine, theirs }: Edits): string | undefined {
  return optionRowOf(key).type === 'json' ? mergedMap(base, mine, theirs) : undefined;
}

async function latestChange(key: OptionKey): Promise<ConflictingChange | undefined> {
  const page = await options.audit({ key, p: 1, page_size: 1 }).catch(() => undefined);
  const change = page?.items[0];
  return change && { username: change.username, at: change.created_at };
}

function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'changed_meanwhile';
}

/** The map without these keys. */
export function withoutKeys<T extends object>(map: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key))) as T; // fewer keys of the same map
}
