/** State of the settings page: stored values, edits and saving. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type OptionKey, optionRowOf } from '../../../../../src/domain/options/registry.ts';
import { problemText } from '../../../components/forms/call-problem.ts';
import { say } from '../../../components/layout/toasts.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { groupKeys, optionKeys, priceKeys } from '../../../lib/api/query-keys.ts';
import { useUser } from '../../../lib/session/session.ts';
import { options } from '../calls.ts';
import { useFieldTexts } from '../fields/field-texts.ts';
import {
  isChanged,
  type SettingDraft,
  type Stored,
  saveEach,
  saveOrder,
  settingProblems,
  settingText,
  visibleKeys,
} from './draft.ts';

export interface SettingsStore {
  readonly role: number;
  readonly stored: Stored;
  readonly draft: SettingDraft;
  /** Secrets that have a value. */
  readonly setSecrets: ReadonlySet<string>;
  /** Keys whose stored value is not the default. */
  readonly ownKeys: ReadonlySet<string>;
  /** Error per field, from the last attempt to save. */
  readonly errors: Readonly<Partial<Record<OptionKey, string>>>;
  readonly isSaving: boolean;
  text(key: OptionKey): string;
  change(key: OptionKey, text: string): void;
  discard(keys: readonly OptionKey[]): void;
  changed(keys: readonly OptionKey[]): OptionKey[];
  /**
   * Saves the changed options among `keys`, one call each, and reports the result in a toast; true
   * if all were saved.
   * @param more texts that count as edited, besides the draft.
   */
  save(keys: readonly OptionKey[], more?: SettingDraft): Promise<boolean>;
  /** False, with the fields marked, if one of `keys` is invalid. */
  check(keys: readonly OptionKey[]): boolean;
}

export const SettingsContext = createContext<SettingsStore | undefined>(undefined);

export function useSettings(): SettingsStore {
  const settings = useContext(SettingsContext);
  if (settings === undefined)
    throw new TypeError('useSettings stands outside of the settings page');
  return settings;
}

type StoredOption = Awaited<ReturnType<typeof options.list>>[number];

export function useStoredOptions() {
  return useQuery({
    queryKey: optionKeys.part('all'),
    queryFn: ({ signal }) => options.list({ secrets: true }, { signal }),
  });
}

const NO_OPTIONS: readonly StoredOption[] = [];

export function useSettingsStore(): SettingsStore {
  const role = useUser()?.role ?? 0;
  const list = useStoredOptions().data ?? NO_OPTIONS;
  const stored: Stored = useMemo(() => new Map(list.map(({ key, value }) => [key, value])), [list]);
  const ownKeys = useMemo(
    () => new Set(list.filter(({ changed }) => changed).map(({ key }) => key)),
    [list],
  );
  const setSecrets = useMemo(
    () => new Set(list.filter((option) => option.is_set).map(({ key }) => key)),
    [list],
  );
  const [draft, setDraft] = useState<SettingDraft>({});
  // Stored values when a field was first edited, to avoid overwriting concurrent changes.
  const [bases, setBases] = useState<SettingDraft>({});
  const [errors, setErrors] = useState<SettingsStore['errors']>({});
  const changed = (keys: readonly OptionKey[], of = draft) =>
    visibleKeys(keys, role).filter((key) => isChanged(key, of, stored));
  const check = useCheck({ stored, setErrors });
  const forget = (keys: readonly OptionKey[]) => {
    setDraft((now) => without(now, keys));
    setBases((now) => without(now, keys));
  };
  // Once a conflict has been reported, a repeated save may overwrite.
  const forgetBases = (keys: readonly OptionKey[]) => setBases((now) => without(now, keys));
  const beforeOf = (key: OptionKey) =>
    optionRowOf(key).secret ? undefined : (bases[key] ?? stored.get(key));
  const { isSaving, save } = useSave({ check, beforeOf, forget, forgetBases, setErrors });
  return {
    role,
    stored,
    draft,
    setSecrets,
    ownKeys,
    errors,
    isSaving,
    text: (key) => settingText(key, draft, stored),
    change: (key, text) => {
      setDraft((now) => ({ ...now, [key]: text }));
      setBases((now) => ({ [key]: stored.get(key), ...now }));
      setErrors((now) => without(now, [key]));
    },
    discard: (keys) => {
      forget(keys);
      setErrors((now) => without(now, keys));
    },
    changed,
    check: (keys) => check(changed(keys), draft),
    save: (keys, more = {}) => {
      const full = { ...draft, ...more };
      return save(changed(keys, full), full);
    },
  };
}

interface CheckDeps {
  readonly stored: Stored;
  readonly setErrors: (change: (now: SettingsStore['errors']) => SettingsStore['errors']) => void;
}

function useCheck({ stored, setErrors }: CheckDeps) {
  const { t } = useTranslation();
  const { problem } = useFieldTexts();
  return (keys: readonly OptionKey[], draft: SettingDraft): boolean => {
    const found = Object.entries(settingProblems(keys, draft, stored));
    if (found.length === 0) return true;
    const texts = Object.fromEntries(found.map(([key, wrong]) => [key, problem(wrong)]));
    setErrors((now) => ({ ...now, ...texts }));
    say.error(t('setting.checkInput'));
    return false;
  };
}

interface SaveDeps {
  readonly check: (keys: readonly OptionKey[], draft: SettingDraft) => boolean;
  /** The value the edit was based on; undefined if unknown. */
  readonly beforeOf: (key: OptionKey) => string | undefined;
  readonly forget: (keys: readonly OptionKey[]) => void;
  readonly forgetBases: (keys: readonly OptionKey[]) => void;
  readonly setErrors: CheckDeps['setErrors'];
}

function useSave({ check, beforeOf, forget, forgetBases, setErrors }: SaveDeps) {
  const { t } = useTranslation();
  const { name } = useFieldTexts();
  const cache = useQueryClient();
  const [isSaving, setSaving] = useState(false);

  const save = async (keys: readonly OptionKey[], draft: SettingDraft): Promise<boolean> => {
    if (isSaving) return false;
    if (keys.length === 0) {
      say.info(t('setting.nothing'));
      return false;
    }
    if (!check(keys, draft)) return false;
    setSaving(true);
    const order = saveOrder(keys, draft);
    const put = (key: OptionKey) =>
      options.set({ key, value: draft[key] ?? '', before: beforeOf(key) });
    const { saved, failed } = await saveEach(order, put);
    await refresh();
    forget(saved);
    forgetBases(failed.filter(({ error }) => isChangedMeanwhile(error)).map(({ key }) => key));
    const texts = failed.map(({ key, error }) => [key, problemText(t, error)]);
    setErrors((now) => ({ ...without(now, saved), ...Object.fromEntries(texts) }));
    setSaving(false);
    if (failed.length === 0) {
      say.success(t('setting.saved'));
      return true;
    }
    const text = t(saved.length > 0 ? 'setting.savedPartly' : 'setting.savedNone');
    const names = failed.map(({ key }) => name(key)).join(', ');
    say.error(t('setting.failedKeys', { text, keys: names }));
    return false;
  };

  /** Options also affect the status, groups and prices. */
  const refresh = async () => {
    const stale = [optionKeys.all, groupKeys.all, priceKeys.all, ['status'], ['public']];
    await Promise.all(stale.map((queryKey) => cache.invalidateQueries({ queryKey })));
  };

  return { isSaving, save };
}

function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'changed_meanwhile';
}

function without<T extends object>(map: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key))) as T; // fewer keys of the same map
}
