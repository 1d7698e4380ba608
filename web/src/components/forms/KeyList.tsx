import { Group, ScrollArea, Stack, Text, Textarea } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { splitKeys } from '../../../../src/domain/channels/channel-keys.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { maskSecret } from '../display/SecretText.tsx';
import { SideButton } from '../display/SideButton.tsx';
import { ToolButton } from '../display/ToolButton.tsx';

interface KeyListProps {
  readonly label: string;
  readonly keys: readonly string[];
  readonly onChange: (keys: readonly string[]) => void;
}

/**
 * A list of keys: pasted text is split at commas and line breaks, JSON keys stay whole; duplicates
 * and blanks are dropped.
 */
export function KeyList({ label, keys, onChange }: KeyListProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState('');
  const add = () => {
    onChange(mergeKeys(keys, draft));
    setDraft('');
  };
  return (
    <Stack gap="xs">
      <Textarea
        label={label}
        description={t('part.keys.hint')}
        minRows={2}
        maxRows={6}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        autoComplete="off"
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      <Group justify="space-between">
        <Dimmed aria-live="polite">{t('part.keys.count', { count: keys.length })}</Dimmed>
        <SideButton
          size="xs"
          icon={IconPlus}
          disabled={draft.trim() === ''}
          label={t('part.keys.add')}
          onClick={add}
        />
      </Group>
      <ScrollArea.Autosize mah={200}>
        <Stack gap={2}>
          {keys.map((key, index) => (
            <Group key={key} wrap="nowrap" justify="space-between">
              <Text ff="monospace" truncate>
                {maskSecret(key)}
              </Text>
              <ToolButton
                size={28}
                label={t('part.keys.remove', { number: index + 1 })}
                onClick={() => onChange(keys.filter((one) => one !== key))}
                icon={IconTrash}
                iconSize={14}
              />
            </Group>
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Stack>
  );
}

/** The existing keys followed by the new ones of the pasted text, without duplicates. */
export function mergeKeys(keys: readonly string[], pasted: string): string[] {
  return [...new Set([...keys, ...splitKeys(pasted)])];
}
