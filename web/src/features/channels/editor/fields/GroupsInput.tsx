import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { groupNamesQuery } from '../../../../lib/api/group-names.ts';

interface GroupsInputProps {
  readonly value: readonly string[];
  readonly onChange: (groups: readonly string[]) => void;
  readonly error?: ReactNode;
  readonly isRequired?: boolean;
}

/**
 * An input of group names; a group that does not exist may be typed, and the hint says where to
 * create it.
 */
export function GroupsInput({ value, onChange, error, isRequired = false }: GroupsInputProps) {
  const { t } = useTranslation();
  const { data } = useQuery(groupNamesQuery);
  const unknown = data === undefined ? [] : value.filter((group) => !data.includes(group));
  return (
    <TagsInput
      required={isRequired}
      label={t('channel.field.group')}
      description={
        unknown.length > 0
          ? t('channel.field.groupsUnknown', { groups: unknown })
          : t('channel.hint.group')
      }
      data={data ?? []}
      value={[...value]}
      onChange={onChange}
      error={error}
      clearable={false}
    />
  );
}
