import type { TFunction } from 'i18next';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { ratioText } from '../../../components/display/tag-lists.tsx';
import type { LogLine } from '../calls.ts';
import { usdFine } from '../detail/usd.ts';
import { factsOf, numberFact, textFact } from '../facts.ts';

/** A one-line summary of an entry: the pricing, the error or the action. */
export function summaryText(t: TFunction, line: LogLine): string {
  const facts = factsOf(line.other);
  if (facts === undefined) return line.content || '-';
  if (line.type === LOG_TYPE.error) {
    const status = textFact(facts, 'status_code');
    return [status === '0' ? '' : status, line.content].filter(Boolean).join(' ');
  }
  if (line.type !== LOG_TYPE.consume || line.content !== '') return line.content;
  const own = numberFact(facts, 'user_group_ratio');
  const group = own !== undefined && own >= 0 ? own : (numberFact(facts, 'group_ratio') ?? 1);
  const perCall = numberFact(facts, 'model_price');
  if (perCall !== undefined && perCall >= 0)
    return t('log.summary.perCall', { price: usdFine(perCall), ratio: ratioText(group) });
  const ratio = numberFact(facts, 'model_ratio');
  if (ratio === undefined) return '-';
  return t('log.summary.perToken', { price: usdFine(ratio * 2), ratio: ratioText(group) });
}
