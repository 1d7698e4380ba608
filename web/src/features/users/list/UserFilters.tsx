import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ROLES, roleWord } from '../../../../../src/domain/roles.ts';
import { statusWord, USER_STATUS } from '../../../../../src/domain/statuses.ts';
import { ChoiceInput, SearchInput } from '../../../components/forms/FilterInputs.tsx';
import { FilterBar, type FilterChip } from '../../../components/layout/FilterBar.tsx';
import { useDraft } from '../../../hooks/useDraft.ts';
import { useGroupNames } from '../../../lib/api/group-names.ts';

/** The filters in the URL. */
interface Narrowing {
  readonly q: string;
  readonly group: string;
  readonly role: number | undefined;
  readonly status: number | undefined;
}

interface UserFiltersProps {
  readonly state: Narrowing;
  readonly set: (patch: Partial<Narrowing>, how?: { readonly replace?: boolean }) => void;
  readonly reset: () => void;
  readonly tools: ReactNode;
}

const ACCOUNT_ROLES = [ROLES.user, ROLES.admin, ROLES.super_admin] as const;
const STATUSES = Object.values(USER_STATUS);

export function UserFilters({ state, set, reset, tools }: UserFiltersProps) {
  const { t } = useTranslation();
  const { q, group, role, status } = state;
  const filters = useDraft<Narrowing>({ q, group, role, status }, set);
  const { draft, type, choose } = filters;
  const { roleText, statusText } = useTexts();
  const names = useGroupNames();
  const chip = (label: string, value: string, patch: Partial<Narrowing>): FilterChip => {
    const text = value === '' ? '' : t('part.named', { name: label, value });
    return { key: label, text, onRemove: () => set(patch) };
  };
  const roleName = role === undefined ? '' : roleText(role);
  const statusName = status === undefined ? '' : statusText(status);
  return (
    <FilterBar
      filters={filters}
      onReset={reset}
      chips={[
        { key: 'q', text: q, onRemove: () => set({ q: '' }) },
        chip(t('common.group'), group, { group: '' }),
        chip(t('user.role'), roleName, { role: undefined }),
        chip(t('common.status'), statusName, { status: undefined }),
      ]}
      tools={tools}
      moreCount={[role, status].filter((value) => value !== undefined).length}
      more={
        <>
          <ChoiceInput
            isInPopover
            placeholder={t('common.any')}
            label={t('user.role')}
            value={draft.role}
            values={ACCOUNT_ROLES}
            text={roleText}
            onChange={(role) => choose({ role })}
          />
          <ChoiceInput
            isInPopover
            placeholder={t('common.any')}
            label={t('common.status')}
            value={draft.status}
            values={STATUSES}
            text={statusText}
            onChange={(status) => choose({ status })}
          />
        </>
      }
    >
      <SearchInput
        width={280}
        label={t('common.search')}
        placeholder={t('user.searchHint')}
        value={draft.q}
        onChange={(q) => type({ q })}
      />
      <ChoiceInput
        width={160}
        label={t('common.group')}
        placeholder={t('user.anyGroup')}
        searchable
        values={[...new Set([...names, draft.group])].filter((name) => name !== '')}
        text={(name) => name}
        value={draft.group || undefined}
        onChange={(group) => choose({ group: group ?? '' })}
      />
    </FilterBar>
  );
}

function useTexts() {
  const { t } = useTranslation();
  return {
    roleText: (role: number) => t(`role.${roleWord(role)}`),
    statusText: (status: number) => {
      const word = statusWord(USER_STATUS, status);
      return word === 'unknown' ? t('status.unknown') : t(`status.user.${word}`);
    },
  };
}
