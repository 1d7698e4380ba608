import { Table, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { changeKindOf } from '../../../../../src/domain/statement.ts';
import { BalanceChange } from '../../../components/display/BalanceChange.tsx';
import { EntriesLink } from '../../../components/display/EntriesLink.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { FullTime } from '../../../components/display/RelativeTime.tsx';
import type { Statement } from '../calls.ts';
import { causeName } from './causes.ts';
import classes from './Statement.module.css';

type Day = Statement['days'][number];

/** The days of a statement; each opens into its models and other changes, in print all of them. */
export function StatementDays({ statement }: { readonly statement: Statement }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (day: string) => {
    const next = new Set(open);
    if (!next.delete(day)) next.add(day);
    setOpen(next);
  };
  return (
    <Table
      fz="sm"
      verticalSpacing={6}
      horizontalSpacing={8}
      aria-label={t('wallet.statement.days')}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('wallet.statement.day')}</Table.Th>
          <Table.Th ta="right">{t('wallet.statement.change')}</Table.Th>
          <Table.Th ta="right">{t('wallet.statement.balance')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      {statement.days.map((day) => (
        <DayRows
          key={day.day}
          day={day}
          username={statement.username}
          isOpen={open.has(day.day)}
          onToggle={() => toggle(day.day)}
        />
      ))}
    </Table>
  );
}

interface DayRowsProps {
  readonly day: Day;
  readonly username: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function DayRows({ day, username, isOpen, onToggle }: DayRowsProps) {
  const { t } = useTranslation();
  const { charges, refunds, credits, debits, calls, closing } = day;
  const link = { from: String(day.from), to: String(day.to - 1), user: username };
  const listed = day.movements.reduce((sum, { units }) => sum + units, 0);
  return (
    <>
      <Table.Tbody>
        <Table.Tr>
          <Table.Td>
            <UnstyledButton className={classes.day} aria-expanded={isOpen} onClick={onToggle}>
              <IconChevronRight size={14} aria-hidden data-screen-only />
              {day.day}
            </UnstyledButton>
          </Table.Td>
          <Table.Td ta="right">
            <div className={classes.changes}>
              {credits !== 0 && <BalanceChange kind="credit" units={credits} isPrivate hasWord />}
              {debits !== 0 && <BalanceChange kind="charge" units={debits} isPrivate />}
              {calls > 0 && (
                <EntriesLink type={String(LOG_TYPE.consume)} {...link}>
                  <BalanceChange kind="charge" units={charges} isPrivate hasWord />
                </EntriesLink>
              )}
              {refunds !== 0 && (
                <EntriesLink type={String(LOG_TYPE.refund)} {...link}>
                  <BalanceChange kind="refund" units={refunds} isPrivate hasWord />
                </EntriesLink>
              )}
            </div>
          </Table.Td>
          <Table.Td ta="right">
            <QuotaText units={closing} isPrivate />
          </Table.Td>
        </Table.Tr>
      </Table.Tbody>
      <Table.Tbody className={classes.detail ?? ''} data-open={isOpen || undefined}>
        {day.movements.map(({ cause, created_at, units }, index) => (
          <Line
            key={`${index} ${cause}`}
            name={causeName(t, cause)}
            more={<FullTime at={created_at} />}
            amount={<BalanceChange kind={changeKindOf(cause, units)} units={units} isPrivate />}
          />
        ))}
        {day.omitted > 0 && (
          <Line
            name={t('wallet.statement.omitted', { count: day.omitted })}
            amount={<QuotaText units={credits + debits - listed} isPrivate />}
          />
        )}
        {day.models.map(({ model, calls: count, units }) => (
          <Line
            key={model}
            name={model === '' ? t('wallet.statement.noModel') : model}
            more={t('wallet.statement.calls', { count })}
            amount={<ModelSum kind="charge" units={units} link={{ ...link, model }} />}
          />
        ))}
        {day.refund_models.map(({ model, entries, units }) => (
          <Line
            key={model}
            name={model === '' ? t('wallet.statement.noModel') : model}
            more={t('wallet.statement.refundCount', { count: entries })}
            amount={<ModelSum kind="refund" units={units} link={{ ...link, model }} />}
          />
        ))}
      </Table.Tbody>
    </>
  );
}

interface ModelSumProps {
  readonly kind: 'charge' | 'refund';
  readonly units: number;
  readonly link: Readonly<Record<'from' | 'to' | 'user' | 'model', string>>;
}

/** The charges or refunds of a model; without its name no filter finds their entries alone. */
function ModelSum({ kind, units, link }: ModelSumProps) {
  const amount = <BalanceChange kind={kind} units={units} isPrivate />;
  if (link.model === '') return amount;
  const type = kind === 'charge' ? LOG_TYPE.consume : LOG_TYPE.refund;
  return (
    <EntriesLink type={String(type)} {...link}>
      {amount}
    </EntriesLink>
  );
}

interface LineProps {
  readonly name: string;
  readonly more?: ReactNode;
  readonly amount: ReactNode;
}

function Line({ name, more, amount }: LineProps) {
  return (
    <Table.Tr>
      <Table.Td className={classes.name ?? ''}>
        {name} <span className={classes.more}>{more}</span>
      </Table.Td>
      <Table.Td ta="right">{amount}</Table.Td>
      <Table.Td />
    </Table.Tr>
  );
}
