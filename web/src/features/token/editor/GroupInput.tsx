import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { RatioTag } from '../../../components/display/tag-lists.tsx';
import { selectableGroupsQuery } from '../../../lib/api/account.ts';
import { useUser } from '../../../lib/session/session.ts';

interface GroupInputProps {
  /** '' is the owner's own group. */
  readonly value: string;
  readonly error: ReactNode;
  readonly onChange: (group: string) => void;
}

/** A select's value may not be empty. */
const OWN = '\u0000own';

/** The group whose ratio prices calls with the token. */
export function GroupInput({ value, error, onChange }: GroupInputProps) {
  const { t } = useTranslation();
  const { data: groups, isError } = useQuery(selectableGroupsQuery);
  const own = useUser()?.group ?? '';
  const names = Object.keys(groups ?? {});
  const known = value === '' || names.includes(value) ? names : [...names, value];
  const isEmpty = groups !== undefined && names.length === 0;
  return (
    <Select
      label={t('common.group')}
      description={isEmpty ? t('token.noGroups') : undefined}
      error={isError ? t('token.groupsFailed') : error}
      disabled={isEmpty}
      searchable={known.length > 8}
      maxDropdownHeight={300}
      data={[
        { value: OWN, label: t('token.ownGroup', { group: own }) },
        ...known.map((name) => ({ value: name, label: name })),
      ]}
      value={value === '' ? OWN : value}
      onChange={(chosen) => onChange(chosen === null || chosen === OWN ? '' : chosen)}
      renderOption={({ option }) => {
        const group = groups?.[option.value === OWN ? own : option.value];
        return (
          <Group justify="space-between" wrap="nowrap" flex={1} miw={0}>
            <div style={{ minWidth: 0 }}>
              <Text truncate>{option.label}</Text>
              {group !== undefined && group.desc !== option.label && (
                <Dimmed truncate>{group.desc}</Dimmed>
              )}
            </div>
            {group?.ratio !== undefined && <RatioTag ratio={group.ratio} />}
          </Group>
        );
      }}
    />
  );
}
