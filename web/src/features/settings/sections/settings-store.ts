/** State of the settings page: stored values, edits and saving. */
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type OptionKey, optionRowOf } from '../../../../../src/domain/options/registry.ts';
import { focusFirstError } from '../../../components/forms/focus-error.ts';
import { toast } from '../../../components/layout/toasts.tsx';
import { optionKeys } from '../../../lib/api/query-keys.ts';
import { useUser } from '../../../lib/session/session.ts';
import { options } from '../calls.ts';
import { useFieldTexts } from '../fields/field-texts.ts';
import type { PriceEdit } from '../prices/price-edits.ts';
import {
  isChanged,
  type SettingDraft,
  type Stored,
  settingProblems,
  settingText,
  visibleKeys,
} from './draft.ts';
import { type OptionErrors, useSaveOptions, withoutKeys } from './save-options.ts';

export interface SettingsStore {
  readonly role: number;
  readonly stored: Stored;
  readonly draft: SettingDraft;
  /** Secrets that have a value. */
  readonly setSecrets: ReadonlySet<string>;
  /** Keys whose stored value is not the default. */
  readonly ownKeys: ReadonlySet<string>;
  /** Error per field, from the last attempt to save. */
  readonly errors: OptionErrors;
  readonly isSaving: boolean;
  /** Edits of the visual price editor by model, until they are applied or discarded. */
  readonly priceEdits: PriceEdits;
  setPriceEdits(change: (now: PriceEdits) => PriceEdits): void;
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

type PriceEdits = ReadonlyMap<string, PriceEdit>;

export const SettingsContext = createContext<SettingsStore | undefined>(undefined);

export function useSettings(): SettingsStore {
  const settings = useContext(SettingsContext);
  if (settings === undefined) throw new TypeError('useSettings outside of the settings page');
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
  const [priceEdits, setPriceEdits] = useState<PriceEdits>(new Map());
  const changed = (keys: readonly OptionKey[], of = draft) =>
    visibleKeys(keys, role).filter((key) => isChanged(key, of, stored));
  const check = useCheck({ stored, setErrors });
  const forget = (keys: readonly OptionKey[]) => {
    setDraft((now) => withoutKeys(now, keys));
    setBases((now) => withoutKeys(now, keys));
  };
  const beforeOf = (key: OptionKey) =>
    optionRowOf(key).secret ? undefined : (bases[key] ?? stored.get(key));
  const { isSaving, save } = useSaveOptions({ check, beforeOf, forget, setErrors });
  return {
    role,
    stored,
    draft,
    setSecrets,
    ownKeys,
    errors,
    isSaving,
    priceEdits,
    setPriceEdits,
    text: (key) => settingText(key, draft, stored),
    change: (key, text) => {
      setDraft((now) => ({ ...now, [key]: text }));
      setBases((now) => ({ [key]: stored.get(key), ...now }));
      setErrors((now) => withoutKeys(now, [key]));
    },
    discard: (keys) => {
      forget(keys);
      setErrors((now) => withoutKeys(now, keys));
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
    toast.error(t('setting.checkInput'));
    focusFirstError();
    return false;
  };
}
