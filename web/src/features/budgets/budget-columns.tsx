import type { TFunction } from 'i18next';
import { limitAt } from '../../../../src/domain/budgets/budget.ts';
import { STATE_TONES, type useAmountText } from '../../components/budgets/BudgetBar.tsx';
import type { Budget } from '../../components/budgets/calls.ts';
import { Meter } from '../../components/charts/Meter.tsx';
import cells from '../../components/data-table/cells.module.css';
import type { Column } from '../../components/data-table/columns.ts';
import { RelativeTime } from '../../components/display/RelativeTime.tsx';
import { Tag } from '../../components/display/Tag.tsx';

type AmountText = ReturnType<typeof useAmountText>;

export function budgetColumns(t: TFunction, amountText: AmountText): readonly Column<Budget>[] {
  return [
    {
      key: 'subject',
      title: t('budget.subject'),
      width: 200,
      isWide: true,
      isFixed: true,
      card: 'title',
      render: ({ subject, subject_name, username }) => (
        <div className={cells.column}>
          <span className={`${cells.clipped} ${cells.strong}`} title={subject_name}>
            {subject_name === '' ? t(`budget.subject.${subject}`) : subject_name}
          </span>
          <span className={`${cells.clipped} ${cells.small} ${cells.dimmed}`}>
            {[t(`budget.subject.${subject}`), username].filter(Boolean).join(' · ')}
          </span>
        </div>
      ),
    },
    {
      key: 'limit',
      title: t('budget.limit'),
      width: 150,
      render: ({ measure, limit_amount, period }) => (
        <span className={cells.clipped}>
          {t('part.budget.title', {
            limit: amountText(measure, limit_amount),
            period: t(`part.budget.period.${period}`),
          })}
        </span>
      ),
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
      render: ({ state, shadow, status }) => {
        if (status !== 1) return <Tag tone="grey">{t('part.budget.disabled')}</Tag>;
        if (shadow) return <Tag tone="grey">{t('part.budget.shadow')}</Tag>;
        return <Tag tone={STATE_TONES[state]}>{t(`budget.state.${state}`)}</Tag>;
      },
    },
  ];
}

interface UsedCellProps {
  readonly budget: Budget;
  readonly t: TFunction;
  readonly amountText: AmountText;
}

/** What the current window has spent, as a bar, and what is left. */
function UsedCell({ budget, t, amountText }: UsedCellProps) {
  const { measure, limit_amount, raised_amount, raised_until, spent_amount, left_amount } = budget;
  const raised = { raisedAmount: raised_amount, raisedUntilSec: raised_until };
  const limit = limitAt({ limit: limit_amount, ...raised }, Date.now() / 1000);
  const spent = t('part.budget.spent', { amount: amountText(measure, spent_amount) });
  const left = t('part.budget.left', { amount: amountText(measure, left_amount) });
  return (
    <div className={cells.column}>
      <span className={`${cells.clipped} ${cells.small}`} title={`${spent} · ${left}`}>
        {spent} · {left}
      </span>
      <Meter
        value={Math.round(Math.min(100, (spent_amount / limit) * 100))}
        isLow={budget.state !== 'ok'}
        label={spent}
      />
    </div>
  );
}
