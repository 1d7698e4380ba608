import { useTranslation } from 'react-i18next';
import type { FilterChip } from '../../../components/layout/FilterBar.tsx';
import { isRangeWord } from '../../../lib/browser/url-state.ts';
import { dateTimeText } from '../../../lib/text/dates.ts';
import type { LogChoice } from './log-filter.ts';
import { useTypeName } from './type-name.ts';

const TEXTS = ['user', 'token', 'model', 'group', 'request', 'ip'] as const;

/** The active filters, each with a callback to remove it. */
export function useChips(
  choice: LogChoice,
  isAdmin: boolean,
  onChoice: (patch: Partial<LogChoice>) => void,
): readonly FilterChip[] {
  const { t } = useTranslation();
  const nameOf = useTypeName();
  const chips: FilterChip[] = [];
  if (choice.from !== '24h' || choice.to !== '') {
    const text = rangeText(choice, t('log.range.now'));
    const known = isRangeWord(choice.from) && choice.to === '';
    chips.push({
      key: 'range',
      text:
        known && isRangeWord(choice.from)
          ? t(`part.range.${choice.from}`)
          : (text ?? t('part.range.open')),
      onRemove: () => onChoice({ from: '24h', to: '' }),
    });
  }
  if (choice.type !== undefined) {
    const text = t('log.chip', { name: t('log.type'), value: nameOf(choice.type) });
    chips.push({ key: 'type', text, onRemove: () => onChoice({ type: undefined }) });
  }
  for (const key of TEXTS) {
    if (choice[key] === '' || (key === 'user' && !isAdmin)) continue;
    const text = t('log.chip', { name: t(`log.field.${key}`), value: choice[key] });
    chips.push({ key, text, onRemove: () => onChoice({ [key]: '' }) });
  }
  if (isAdmin && choice.channel !== undefined) {
    const text = t('log.chip', { name: t('log.channelId'), value: choice.channel });
    chips.push({ key: 'channel', text, onRemove: () => onChoice({ channel: undefined }) });
  }
  return chips;
}

function rangeText({ from, to }: LogChoice, now: string): string | undefined {
  if (from === 'all' && to === '') return undefined;
  const moment = (text: string) => (/^\d+$/.test(text) ? dateTimeText(Number(text)) : text);
  return `${from === 'all' ? '' : moment(from)} - ${to === '' ? now : moment(to)}`;
}
