import type { TFunction } from 'i18next';
import { limitAt } from '../../../../src/domain/budgets/budget.ts';
import { STATE_TONES, type useAmountText } from '../../components/budgets/BudgetBar.tsx';
import { entriesOf } from '../../components/budgets/budget-entries.ts';
import type { Budget } from '../../components/budgets/calls.ts';
import { Meter } from '../../components/charts/Meter.tsx';
import cells from '../../components/data-table/cells.module.css';
import type { Column } from '../../components/data-table/columns.ts';
import { EntriesLink } from '../../components/display/EntriesLink.tsx';
import { RelativeTime } from '../../components/display/RelativeTime.tsx';
import { Tag } from '../../components/display/Tag.tsx';

type AmountText = ReturnType<typeof useAmountText>;

export function budgetColumns(t: TFunction, amountText: AmountText): readonly Column<Budget>[] {
  return [
    {
      key: 'subject',
      title: t('part.budget.subject'),
      width: 200,
      isWide: true,
      isFixed: true,
      card: 'title',
      render: ({ subject, subject_name, username, shadow }) => {
        const kind = t(`part.budget.subject.${subject}`);
        const notes = [
          subject_name !== '' && kind,
          username,
          shadow && t('part.budget.shadow'),
        ].filter(Boolean);
        return (
          <div className={cells.column}>
            <span className={`${cells.clipped} ${cells.strong}`} title={subject_name}>
              {subject_name || kind}
            </span>
            <Note text={notes.join(' · ')} />
          </div>
        );
      },
    },
    {
      key: 'limit',
      title: t('budget.limit'),
      width: 140,
      isWide: true,
      render: (budget) => <LimitCell budget={budget} t={t} amountText={amountText} />,
    },
    {
      key: 'used',
      title: t('budget.used'),
      width: 200,
      isWide: true,
      render: (budget) => <UsedCell budget={budget} t={t} amountText={amountText} />,
    },
    {
      key: 'resets',
      title: t('part.budget.resets'),
      width: 120,
      priority: 1,
      render: ({ resets_at }) => <RelativeTime at={resets_at} none="-" />,
    },
    {
      key: 'state',
      title: t('budget.state'),
      width: 120,
      align: 'center',
      card: 'status',
      render: ({ state, status }) => {
        if (status !== 1) return <Tag tone="grey">{t('part.budget.disabled')}</Tag>;
        return <Tag tone={STATE_TONES[state]}>{t(`part.budget.state.${state}`)}</Tag>;
      },
    },
  ];
}

interface CellProps {
  readonly budget: Budget;
  readonly t: TFunction;
  readonly amountText: AmountText;
}

/** The limit, what is added to it for a time, and the models that count. */
function LimitCell({ budget, t, amountText }: CellProps) {
  const { measure, limit_amount, period, models } = budget;
  const raised = limitNow(budget) - limit_amount;
  const text = t('part.budget.title', {
    limit: amountText(measure, limit_amount),
    period: t(`part.budget.period.${period}`),
  });
  const notes = [
    raised > 0 && t('part.budget.raised', { amount: amountText(measure, raised) }),
    models.join(', '),
  ].filter(Boolean);
  return (
    <div className={cells.column}>
      <span className={cells.clipped} title={text}>
        {text}
      </span>
      <Note text={notes.join(' · ')} />
    </div>
  );
}

/** What the current window has spent, holds and has left, also as a bar. */
function UsedCell({ budget, t, amountText }: CellProps) {
  const { measure, spent_amount, held_amount, left_amount, state } = budget;
  const limit = limitNow(budget);
  const amount = (units: number) => ({ amount: amountText(measure, units) });
  const spent = t('part.budget.spent', amount(spent_amount));
  const others = [
    held_amount > 0 && t('part.budget.held', amount(held_amount)),
    t('part.budget.left', amount(left_amount)),
  ].filter(Boolean);
  const rest = ` · ${others.join(' · ')}`;
  const entries = entriesOf(budget);
  const share = (units: number) => Math.min(100, (units / limit) * 100);
  return (
    <div className={cells.column}>
      <span className={`${cells.clipped} ${cells.wraps} ${cells.small}`} title={`${spent}${rest}`}>
        {entries === undefined ? spent : <EntriesLink {...entries}>{spent}</EntriesLink>}
        {rest}
      </span>
      <Meter
        value={Math.round(share(spent_amount))}
        further={Math.min(share(held_amount), 100 - share(spent_amount))}
        isNear={state === 'near'}
        isLow={state === 'full'}
        label={spent}
      />
    </div>
  );
}

function Note({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <span className={`${cells.clipped} ${cells.small} ${cells.dimmed}`} title={text}>
      {text}
    </span>
  );
}

function limitNow({ limit_amount, raised_amount, raised_until }: Budget): number {
  const raised = { raisedAmount: raised_amount, raisedUntilSec: raised_until };
  return limitAt({ limit: limit_amount, ...raised }, Date.now() / 1000);
}
