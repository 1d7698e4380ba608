import { Button, Code, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** A field that both the user and another administrator have changed. */
export interface Conflict {
  readonly field: string;
  readonly label: string;
  readonly mine: string;
  readonly theirs: string;
  /** Both edits together, where the value allows that. */
  readonly both?: string | undefined;
}

/** The value to keep, by field. */
export type Resolution = Readonly<Record<string, string>>;

export interface PendingConflict {
  readonly conflicts: readonly Conflict[];
  readonly answer: (resolution: Resolution | undefined) => void;
}

type Choice = 'mine' | 'theirs' | 'both';

/** Shows the values of each conflict and lets the user choose one. */
export function ConflictModal({ conflicts, answer }: PendingConflict) {
  const { t } = useTranslation();
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const choiceOf = ({ field, both }: Conflict): Choice =>
    choices[field] ?? (both === undefined ? 'mine' : 'both');
  const resolved = () =>
    Object.fromEntries(
      conflicts.map((conflict) => [conflict.field, conflict[choiceOf(conflict)] ?? '']),
    );
  return (
    <Modal
      opened
      onClose={() => answer(undefined)}
      title={t('part.conflict.title')}
      size={640}
      zIndex={400}
    >
      <Stack gap="md">
        <Text size="sm">{t('part.conflict.text')}</Text>
        {conflicts.map((conflict) => (
          <Row
            key={conflict.field}
            conflict={conflict}
            choice={choiceOf(conflict)}
            onChoice={(choice) => setChoices((now) => ({ ...now, [conflict.field]: choice }))}
          />
        ))}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={() => answer(undefined)}>
            {t('action.cancel')}
          </Button>
          <Button onClick={() => answer(resolved())}>{t('part.conflict.verb')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface RowProps {
  readonly conflict: Conflict;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}

function Row({ conflict, choice, onChoice }: RowProps) {
  const { t } = useTranslation();
  const choices: Choice[] =
    conflict.both === undefined ? ['mine', 'theirs'] : ['mine', 'theirs', 'both'];
  return (
    <Stack gap={6} role="group" aria-label={conflict.label}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {conflict.label}
        </Text>
        <SegmentedControl
          size="xs"
          value={choice}
          onChange={(value) => onChoice(value as Choice)} // one of `choices`
          data={choices.map((value) => ({ value, label: t(`part.conflict.${value}`) }))}
        />
      </Group>
      <Code block style={{ maxHeight: 160, overflow: 'auto', overflowWrap: 'anywhere' }}>
        {conflict[choice] === '' ? t('part.conflict.empty') : conflict[choice]}
      </Code>
    </Stack>
  );
}
