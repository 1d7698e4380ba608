import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type FlatMap, typedValue, withEntry } from './json-problems.ts';

interface JsonTableProps {
  readonly map: FlatMap;
  readonly onChange: (text: string) => void;
  readonly isReadOnly: boolean;
}

/** A flat map, one row per entry. A row is saved on blur, so a half-typed name is no entry. */
export function JsonTable({ map, onChange, isReadOnly }: JsonTableProps) {
  const { t } = useTranslation();
  const entries = Object.entries(map);
  const isNumeric = entries.length > 0 && entries.every(([, value]) => typeof value === 'number');
  const write = (next: FlatMap) => onChange(JSON.stringify(next, null, 2));
  return (
    <Stack gap={6}>
      {entries.map(([key, value], index) => (
        <Group key={`${key} ${index}`} gap={6} wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={t('part.json.key')}
            defaultValue={key}
            readOnly={isReadOnly}
            onBlur={({ currentTarget }) => {
              const typed = currentTarget.value.trim();
              if (typed !== key && !(typed in map)) write(withEntry(map, index, [typed, value]));
            }}
          />
          <TextInput
            flex={1}
            aria-label={t('part.json.value')}
            defaultValue={String(value)}
            readOnly={isReadOnly}
            onBlur={({ currentTarget }) => {
              const typed = typedValue(currentTarget.value, isNumeric);
              if (typed !== value) write(withEntry(map, index, [key, typed]));
            }}
          />
          {!isReadOnly && (
            <ActionIcon
              size={32}
              aria-label={t('part.json.remove', { key })}
              onClick={() => write(Object.fromEntries(entries.filter((_, at) => at !== index)))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!isReadOnly && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            disabled={'' in map}
            onClick={() => write({ ...map, '': isNumeric ? 1 : '' })}
          >
            {t('part.json.add')}
          </Button>
        </div>
      )}
    </Stack>
  );
}
