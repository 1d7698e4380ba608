import { PasswordInput, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { statusWord, TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import { FilterBar, type FilterChip } from '../../../components/layout/FilterBar.tsx';
import { useDraft } from '../../../hooks/useDraft.ts';
import type { SelectableGroups } from '../calls.ts';
import { keyHint, keyInSearch } from './key-search.ts';

export interface TokenFilterState {
  readonly q: string;
  readonly status: number | undefined;
  readonly group: string;
  /** A whole key. Kept out of the URL, which ends up in histories and links. */
  readonly key: string;
}

interface TokenFiltersProps {
  readonly state: TokenFilterState;
  readonly set: (patch: Partial<TokenFilterState>) => void;
  readonly reset: () => void;
  readonly groups: SelectableGroups | undefined;
  readonly tools: ReactNode;
}

export function TokenFilters({ state, set, reset, groups, tools }: TokenFiltersProps) {
  const { t } = useTranslation();
  const { q, status, group, key } = state;
  const { draft, change, send, clear } = useDraft<TokenFilterState>({ q, status, group, key });
  const statusText = useStatusText();
  const chips: FilterChip[] = [
    ...chip('q', q, () => set({ q: '' })),
    ...chip('key', key && keyHint(key), () => set({ key: '' })),
    ...chip('status', status === undefined ? '' : statusText(status), () =>
      set({ status: undefined }),
    ),
    ...chip('group', group, () => set({ group: '' })),
  ];
  const search = () => {
    const pasted = keyInSearch(draft.q);
    const typed = draft.key.trim();
    const next = pasted === undefined ? draft : { ...draft, q: '', key: pasted };
    const isTyped = pasted === undefined && typed !== '';
    set(send(isTyped ? { ...next, key: keyInSearch(typed) ?? typed } : next));
  };
  return (
    <FilterBar
      onSearch={search}
      onReset={() => {
        clear();
        reset();
      }}
      chips={chips}
      tools={tools}
      moreCount={(status === undefined ? 0 : 1) + (group === '' ? 0 : 1)}
      more={<MoreFilters draft={draft} change={change} groups={groups} />}
    >
      <TextInput
        w={{ base: '100%', xs: 220 }}
        label={t('token.search')}
        placeholder={t('token.searchHint')}
        data-page-search
        value={draft.q}
        onChange={(event) => change({ q: event.currentTarget.value })}
      />
      <PasswordInput
        w={{ base: '100%', xs: 200 }}
        label={t('token.searchKey')}
        placeholder="sk-…"
        autoComplete="off"
        data-1p-ignore
        value={draft.key}
        onChange={(event) => change({ key: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': t('part.secret.show') }}
      />
    </FilterBar>
  );
}

function chip(key: string, text: string, onRemove: () => void): FilterChip[] {
  return text === '' ? [] : [{ key, text, onRemove }];
}

interface MoreFiltersProps {
  readonly draft: TokenFilterState;
  readonly change: (patch: Partial<TokenFilterState>) => void;
  readonly groups: SelectableGroups | undefined;
}

function MoreFilters({ draft, change, groups }: MoreFiltersProps) {
  const { t } = useTranslation();
  const statusText = useStatusText();
  const { status, group } = draft;
  const names = [...new Set([...Object.keys(groups ?? {}), ...(group === '' ? [] : [group])])];
  return (
    <>
      <Select
        label={t('token.status')}
        placeholder={t('token.any')}
        clearable
        comboboxProps={{ withinPortal: false }}
        data={Object.values(TOKEN_STATUS).map((status) => ({
          value: String(status),
          label: statusText(status),
        }))}
        value={status === undefined ? null : String(status)}
        onChange={(chosen) => change({ status: chosen === null ? undefined : Number(chosen) })}
      />
      <Select
        label={t('token.group')}
        placeholder={t('token.any')}
        clearable
        searchable
        comboboxProps={{ withinPortal: false }}
        data={names}
        value={group === '' ? null : group}
        onChange={(chosen) => change({ group: chosen ?? '' })}
      />
    </>
  );
}

function useStatusText(): (status: number) => string {
  const { t } = useTranslation();
  return (status) => {
    const word = statusWord(TOKEN_STATUS, status);
    return word === 'unknown' ? t('status.unknown') : t(`status.token.${word}`);
  };
}
