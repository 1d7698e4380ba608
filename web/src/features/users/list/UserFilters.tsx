import { Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ROLES, roleWord } from '../../../../../src/domain/roles.ts';
import { statusWord, USER_STATUS } from '../../../../../src/domain/statuses.ts';
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
  readonly set: (patch: Partial<Narrowing>) => void;
  readonly reset: () => void;
  readonly tools: ReactNode;
}

const ACCOUNT_ROLES = [ROLES.user, ROLES.admin, ROLES.super_admin] as const;
const STATUSES = Object.values(USER_STATUS);

export function UserFilters({ state, set, reset, tools }: UserFiltersProps) {
  const { t } = useTranslation();
  const { q, group, role, status } = state;
  const { draft, change, send, clear } = useDraft<Narrowing>({ q, group, role, status });
  const roleText = (role: number) => t(`role.${roleWord(role)}`);
  const statusText = (status: number) => {
    const word = statusWord(USER_STATUS, status);
    return word === 'unknown' ? t('status.unknown') : t(`status.user.${word}`);
  };
  const chips: FilterChip[] = [
    { key: 'q', isSet: q !== '', text: q, clear: { q: '' } },
    {
      key: 'group',
      isSet: group !== '',
      text: `${t('user.group')}: ${group}`,
      clear: { group: '' },
    },
    {
      key: 'role',
      isSet: role !== undefined,
      text: `${t('user.role')}: ${roleText(role ?? 0)}`,
      clear: { role: undefined },
    },
    {
      key: 'status',
      isSet: status !== undefined,
      text: `${t('user.status')}: ${statusText(status ?? 0)}`,
      clear: { status: undefined },
    },
  ]
    .filter(({ isSet }) => isSet)
    .map(({ key, text, clear }) => ({ key, text, onRemove: () => set(clear) }));
  return (
    <FilterBar
      onSearch={() => set(send())}
      onReset={() => {
        clear();
        reset();
      }}
      chips={chips}
      tools={tools}
      moreCount={[role, status].filter((value) => value !== undefined).length}
      more={
        <>
          <NumberChoice
            label={t('user.role')}
            value={draft.role}
            values={ACCOUNT_ROLES}
            text={roleText}
            onChange={(role) => change({ role })}
          />
          <NumberChoice
            label={t('user.status')}
            value={draft.status}
            values={STATUSES}
            text={statusText}
            onChange={(status) => change({ status })}
          />
        </>
      }
    >
      <TextInput
        w={280}
        label={t('user.search')}
        placeholder={t('user.searchHint')}
        data-page-search
        value={draft.q}
        onChange={(event) => change({ q: event.currentTarget.value })}
      />
      <GroupChoice value={draft.group} onChange={(group) => change({ group })} />
    </FilterBar>
  );
}

interface GroupChoiceProps {
  readonly value: string;
  readonly onChange: (group: string) => void;
}

function GroupChoice({ value, onChange }: GroupChoiceProps) {
  const { t } = useTranslation();
  const names = useGroupNames();
  return (
    <Select
      w={160}
      label={t('user.group')}
      placeholder={t('user.anyGroup')}
      clearable
      searchable
      data={[...new Set([...names, ...(value === '' ? [] : [value])])]}
      value={value === '' ? null : value}
      onChange={(group) => onChange(group ?? '')}
    />
  );
}

interface NumberChoiceProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly values: readonly number[];
  readonly text: (value: number) => string;
  readonly onChange: (value: number | undefined) => void;
}

function NumberChoice({ label, value, values, text, onChange }: NumberChoiceProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={label}
      placeholder={t('user.any')}
      clearable
      comboboxProps={{ withinPortal: false }}
      data={values.map((each) => ({ value: String(each), label: text(each) }))}
      value={value === undefined ? null : String(value)}
      onChange={(chosen) => onChange(chosen === null ? undefined : Number(chosen))}
    />
  );
}
