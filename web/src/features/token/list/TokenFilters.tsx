import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { statusWord, TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import { ChoiceInput, SearchInput } from '../../../components/forms/FilterInputs.tsx';
import { FilterBar } from '../../../components/layout/FilterBar.tsx';
import { type Draft, useDraft } from '../../../hooks/useDraft.ts';
import type { SelectableGroups } from '../calls.ts';
import { keyHint, keyInSearch } from './key-search.ts';

interface TokenFilterState {
  readonly q: string;
  readonly status: number | undefined;
  readonly group: string;
  /** A whole key. Kept out of the URL, which ends up in histories and links. */
  readonly key: string;
}

export interface TokenFiltersProps {
  readonly state: TokenFilterState;
  readonly set: (patch: Partial<TokenFilterState>, how?: { readonly replace?: boolean }) => void;
  readonly reset: () => void;
  readonly groups: SelectableGroups | undefined;
  readonly tools: ReactNode;
}

/** A key typed or pasted into either input searches by key. */
function withKey(draft: TokenFilterState): TokenFilterState {
  const pasted = keyInSearch(draft.q);
  if (pasted !== undefined) return { ...draft, q: '', key: pasted };
  return { ...draft, key: keyInSearch(draft.key) ?? draft.key };
}

export function TokenFilters({ state, set, reset, groups, tools }: TokenFiltersProps) {
  const { t } = useTranslation();
  const { q, status, group, key } = state;
  const filters = useDraft<TokenFilterState>({ q, status, group, key }, set, withKey);
  const { draft, type } = filters;
  const statusText = useStatusText();
  return (
    <FilterBar
      filters={filters}
      onReset={reset}
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
      more={<MoreFilters filters={filters} groups={groups} />}
    >
      <SearchInput
        width={{ base: '100%', xs: 220 }}
        label={t('common.name')}
        placeholder={t('token.searchHint')}
        value={draft.q}
        onChange={(q) => type({ q })}
      />
      <PasswordInput
        w={{ base: '100%', xs: 200 }}
        label={t('token.key')}
        placeholder="sk-…"
        autoComplete="off"
        data-1p-ignore
        value={draft.key}
        onChange={(event) => type({ key: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': t('part.secret.show') }}
      />
    </FilterBar>
  );
}

interface MoreFiltersProps {
  readonly filters: Draft<TokenFilterState>;
  readonly groups: SelectableGroups | undefined;
}

function MoreFilters({ filters: { draft, choose }, groups }: MoreFiltersProps) {
  const { t } = useTranslation();
  const statusText = useStatusText();
  const { status, group } = draft;
  return (
    <>
      <ChoiceInput
        isInPopover
        label={t('common.status')}
        placeholder={t('common.any')}
        values={Object.values(TOKEN_STATUS)}
        text={statusText}
        value={status}
        onChange={(status) => choose({ status })}
      />
      <ChoiceInput
        isInPopover
        label={t('common.group')}
        placeholder={t('common.any')}
        searchable
        values={[...new Set([...Object.keys(groups ?? {}), group])].filter((name) => name !== '')}
        text={(name) => name}
        value={group || undefined}
        onChange={(group) => choose({ group: group ?? '' })}
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
