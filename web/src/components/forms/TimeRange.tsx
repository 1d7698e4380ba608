import { Group, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isRangeWord, RANGES } from '../../../../src/domain/logs/time-ranges.ts';
import { MomentInput } from './MomentInput.tsx';

export interface TimeRangeValue {
  /** A name of `RANGES`, epoch seconds as text, or '' for no bound. */
  readonly from: string;
  readonly to: string;
}

interface TimeRangeProps {
  readonly value: TimeRangeValue;
  readonly onChange: (value: TimeRangeValue) => void;
}

/** "Last 24 hours", or two times. The value is stored in the URL. */
export function TimeRange({ value, onChange }: TimeRangeProps) {
  const { t } = useTranslation();
  const { from, to } = value;
  const isWord = isRangeWord(from) && to === '';
  const choice = isWord ? from : from === '' && to === '' ? 'open' : 'custom';
  const choose = (word: string | null) => {
    if (word === 'custom') onChange({ from: String(dayStartSec()), to: '' });
    else onChange({ from: word === null || word === 'open' ? '' : word, to: '' });
  };
  return (
    <Group align="flex-end">
      <Select
        w={140}
        label={t('part.range.label')}
        value={choice}
        onChange={choose}
        data={[
          { value: 'open', label: t('part.range.open') },
          ...RANGES.map((word) => ({ value: word, label: t(`part.range.${word}`) })),
          { value: 'custom', label: t('part.range.custom') },
        ]}
      />
      {choice === 'custom' && (
        <>
          <MomentInput
            label={t('part.range.from')}
            value={secondsOf(from)}
            onChange={(at) => onChange({ from: textOf(at), to })}
          />
          <MomentInput
            label={t('part.range.to')}
            value={secondsOf(to)}
            onChange={(at) => onChange({ from, to: textOf(at) })}
          />
        </>
      )}
    </Group>
  );
}

function dayStartSec(): number {
  return new Date().setHours(0, 0, 0, 0) / 1000;
}

function secondsOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function textOf(at: number | undefined): string {
  return at === undefined ? '' : String(at);
}
