import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { statusWord, TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import { ChoiceInput, SearchInput } from '../../../components/forms/FilterInputs.tsx';
import { FilterBar } from '../../../components/layout/FilterBar.tsx';
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
      chips={[
        { key: 'q', text: q, onRemove: () => set({ q: '' }) },
        { key: 'key', text: key && keyHint(key), onRemove: () => set({ key: '' }) },
        {
          key: 'status',
          text: status === undefined ? '' : statusText(status),
          onRemove: () => set({ status: undefined }),
        },
        { key: 'group', text: group, onRemove: () => set({ group: '' }) },
      ]}
      tools={tools}
      moreCount={(status === undefined ? 0 : 1) + (group === '' ? 0 : 1)}
      more={<MoreFilters draft={draft} change={change} groups={groups} />}
    >
      <SearchInput
        width={{ base: '100%', xs: 220 }}
        label={t('token.search')}
        placeholder={t('token.searchHint')}
        value={draft.q}
        onChange={(q) => change({ q })}
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

interface MoreFiltersProps {
  readonly draft: TokenFilterState;
  readonly change: (patch: Partial<TokenFilterState>) => void;
  readonly groups: SelectableGroups | undefined;
}

function MoreFilters({ draft, change, groups }: MoreFiltersProps) {
  const { t } = useTranslation();
  const statusText = useStatusText();
  const { status, group } = draft;
  return (
    <>
      <ChoiceInput
        isInPopover
        label={t('token.status')}
        placeholder={t('token.any')}
        values={Object.values(TOKEN_STATUS)}
        text={statusText}
        value={status}
        onChange={(status) => change({ status })}
      />
      <ChoiceInput
        isInPopover
        label={t('token.group')}
        placeholder={t('token.any')}
        searchable
        values={[...new Set([...Object.keys(groups ?? {}), group])].filter((name) => name !== '')}
        text={(name) => name}
        value={group || undefined}
        onChange={(group) => change({ group: group ?? '' })}
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
