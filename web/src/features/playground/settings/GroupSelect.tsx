import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { RatioTag } from '../../../components/display/tag-lists.tsx';
import { useUser } from '../../../lib/session/session.ts';
import { groupsReading } from '../calls.ts';

interface GroupSelectProps {
  /** '' is the user's own group. */
  readonly value: string;
  readonly onChange: (group: string) => void;
}

/** The group that routes and prices the calls. */
export function GroupSelect({ value, onChange }: GroupSelectProps) {
  const { t } = useTranslation();
  const own = useUser()?.group ?? '';
  const { data: groups = {} } = useQuery(groupsReading);
  const chosen = value || own;
  const names = [...new Set([...Object.keys(groups), chosen])].filter((name) => name !== '');
  return (
    <Select
      label={t('playground.group')}
      allowDeselect={false}
      searchable={names.length > 8}
      data={names}
      value={chosen}
      onChange={(next) => onChange(next === null || next === own ? '' : next)}
      renderOption={({ option }) => {
        const group = groups[option.value];
        return (
          <Group justify="space-between" gap="xs" wrap="nowrap" flex={1} miw={0}>
            <div style={{ minWidth: 0 }}>
              <Text size="sm" truncate>
                {option.label}
              </Text>
              {group && group.desc !== option.value && (
                <Text size="xs" c="dimmed" truncate>
                  {group.desc}
                </Text>
              )}
            </div>
            {group?.ratio !== undefined && <RatioTag ratio={group.ratio} />}
          </Group>
        );
      }}
    />
  );
}
