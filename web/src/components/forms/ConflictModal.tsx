import { Code, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTimeText } from '../../lib/text/dates.ts';
import { DialogFooter } from '../layout/DialogFooter.tsx';
import { OpenModal } from '../layout/OpenModal.tsx';
import classes from './Conflict.module.css';

/** The other user's change. */
export interface ConflictingChange {
  /** '' for the operator at the machine's own terminal. */
  readonly username: string;
  /** Epoch seconds. */
  readonly at: number;
}

/** A field that both the user and another administrator have changed. */
export interface Conflict {
  readonly field: string;
  readonly label: string;
  readonly mine: string;
  readonly theirs: string;
  /** Both edits together, where the value allows that. */
  readonly both?: string | undefined;
  /** undefined if it was not found. */
  readonly change?: ConflictingChange | undefined;
}

/** The value to keep, by field. */
export type Resolution = Readonly<Record<string, string>>;

interface PendingConflict {
  readonly conflicts: readonly Conflict[];
  readonly answer: (resolution: Resolution | undefined) => void;
}

type Choice = 'mine' | 'theirs' | 'both';

/** Shows the values of each conflict side by side and lets the user choose one. */
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
    <OpenModal
      onClose={() => answer(undefined)}
      title={t('part.conflict.title')}
      size={760}
      zIndex={400}
    >
      <Stack gap="md">
        <Text>{t('part.conflict.text')}</Text>
        {conflicts.map((conflict) => (
          <Row
            key={conflict.field}
            conflict={conflict}
            choice={choiceOf(conflict)}
            onChoice={(choice) => setChoices((now) => ({ ...now, [conflict.field]: choice }))}
          />
        ))}
        <DialogFooter
          isCautious
          onClose={() => answer(undefined)}
          verb={t('part.conflict.verb')}
          onClick={() => answer(resolved())}
        />
      </Stack>
    </OpenModal>
  );
}

interface RowProps {
  readonly conflict: Conflict;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}

function Row({ conflict, choice, onChoice }: RowProps) {
  const { t } = useTranslation();
  const changeText = useChangeText();
  const choices: Choice[] =
    conflict.both === undefined ? ['mine', 'theirs'] : ['mine', 'theirs', 'both'];
  return (
    <Radio.Group
      label={conflict.label}
      value={choice}
      onChange={(value) => onChoice(value as Choice)} // one of `choices`
    >
      <div className={classes.sides}>
        {choices.map((side) => (
          <div key={side} className={classes.side} data-chosen={side === choice || undefined}>
            <Radio
              size="xs"
              value={side}
              label={t(`part.conflict.${side}`)}
              description={side === 'theirs' && changeText(conflict.change)}
            />
            <Code block className={classes.value}>
              {conflict[side] === '' ? t('part.conflict.empty') : conflict[side]}
            </Code>
          </div>
        ))}
      </div>
    </Radio.Group>
  );
}

function useChangeText(): (change: ConflictingChange | undefined) => string | undefined {
  const { t } = useTranslation();
  return (change) => {
    if (change === undefined) return undefined;
    const by = change.username === '' ? t('part.conflict.operator') : change.username;
    return t('part.conflict.change', { by, time: dateTimeText(change.at) });
  };
}
