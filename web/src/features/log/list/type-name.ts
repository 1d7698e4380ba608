import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type LogTypeWord, logTypeWord } from '../../../../../src/domain/logs/log-types.ts';
import type { Tone } from '../../../components/display/tones.ts';
import { SPEND } from './log-filter.ts';

/** The name of an entry's type; unknown numbers read as unknown. */
export function typeName(t: TFunction, type: number): string {
  return t(`log.type.${logTypeWord(type)}`);
}

export function useTypeName(): (type: number) => string {
  const { t } = useTranslation();
  return (type) => typeName(t, type);
}

/** The name of a choice of the filter. */
export function choiceName(t: TFunction, choice: string): string {
  return choice === SPEND ? t('log.type.spend') : typeName(t, Number(choice));
}

const TONES: Record<LogTypeWord | 'unknown', Tone> = {
  top_up: 'blue',
  consume: 'lime',
  admin: 'orange',
  system: 'violet',
  check_in: 'teal',
  error: 'red',
  refund: 'blue',
  unknown: 'grey',
};

export function typeTone(type: number): Tone {
  return TONES[logTypeWord(type)];
}
