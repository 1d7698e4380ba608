import { Button, Card, Group, Select, Stack, Title } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconDownload, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { BalanceChange } from '../../../components/display/BalanceChange.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { EntriesLink } from '../../../components/display/EntriesLink.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { monthText } from '../../../lib/text/dates.ts';
import { type Statement, statementAddress, statementQuery } from '../calls.ts';
import { currentMonth, firstDayOf, isMonth, monthAfter } from './months.ts';
import classes from './Statement.module.css';
import { StatementDays } from './StatementDays.tsx';

interface StatementViewProps {
  /** An account of others, for administrators; by default the own one. */
  readonly userId?: number;
  /** Such as `2026-11`; '' is the current one. */
  readonly month: string;
  readonly onMonth: (month: string) => void;
}

/** The statement of an account and month, with its CSV file and a form for print. */
export function StatementView({ userId, month: asked, onMonth }: StatementViewProps) {
  const { t } = useTranslation();
  const month = isMonth(asked) ? asked : currentMonth(new Date());
  const query = useQuery(statementQuery({ userId, month }));
  return (
    <Card className={classes.statement}>
      <Group justify="space-between" mb="md" data-screen-only>
        <MonthChoice month={month} onMonth={onMonth} />
        <Group>
          <Button
            variant="default"
            component="a"
            href={statementAddress({ userId, month })}
            download
            leftSection={<IconDownload size={16} />}
          >
            {t('wallet.statement.csv')}
          </Button>
          <SideButton
            icon={IconPrinter}
            label={t('wallet.statement.print')}
            onClick={() => window.print()}
          />
        </Group>
      </Group>
      <Loaded query={query}>{(statement) => <Sheet statement={statement} />}</Loaded>
    </Card>
  );
}

/** Older months have an address, but no entry in the list. */
const LISTED_MONTHS = 24;

interface MonthChoiceProps {
  readonly month: string;
  readonly onMonth: (month: string) => void;
}

function MonthChoice({ month, onMonth }: MonthChoiceProps) {
  const { t, i18n } = useTranslation();
  const now = currentMonth(new Date());
  const listed = Array.from({ length: LISTED_MONTHS }, (_, index) => monthAfter(now, -index));
  const turn = (months: number) => onMonth(monthAfter(month, months));
  return (
    <Group gap={4} wrap="nowrap">
      <ToolButton
        variant="default"
        label={t('wallet.statement.previous')}
        onClick={() => turn(-1)}
        icon={IconChevronLeft}
      />
      <Select
        w={160}
        aria-label={t('wallet.statement.month')}
        data={[...new Set([...listed, month])].map((value) => ({
          value,
          label: monthText(firstDayOf(value), i18n.language),
        }))}
        value={month}
        onChange={(chosen) => chosen !== null && onMonth(chosen)}
      />
      <ToolButton
        variant="default"
        label={t('wallet.statement.next')}
        disabled={month >= now}
        onClick={() => turn(1)}
        icon={IconChevronRight}
      />
    </Group>
  );
}

function Sheet({ statement }: { readonly statement: Statement }) {
  const { t, i18n } = useTranslation();
  const { username, month, time_zone: zone, opening, closing, days } = statement;
  const range = { user: username, from: String(statement.from), to: String(statement.to - 1) };
  return (
    <Stack gap="md">
      <div>
        <Title order={2} fz={16}>
          {t('wallet.statement.of', {
            user: username,
            month: monthText(firstDayOf(month), i18n.language),
          })}
        </Title>
        <Dimmed>{t('wallet.statement.zone', { zone })}</Dimmed>
      </div>
      <dl className={classes.sums}>
        <div>
          <dt>{t('wallet.statement.opening')}</dt>
          <dd>
            <QuotaText units={opening} isPrivate />
          </dd>
        </div>
        {sumsOf(statement).map(({ name, kind, units, type }) => (
          <div key={name}>
            <dt>{t(`wallet.statement.${name}`)}</dt>
            <dd>
              {type === undefined || units === 0 ? (
                <BalanceChange kind={kind} units={units} isPrivate />
              ) : (
                <EntriesLink {...range} type={String(type)}>
                  <BalanceChange kind={kind} units={units} isPrivate />
                </EntriesLink>
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt>{t('wallet.statement.closing')}</dt>
          <dd>
            <QuotaText units={closing} isPrivate />
          </dd>
        </div>
      </dl>
      {days.length === 0 ? (
        <Dimmed size="sm">{t('wallet.statement.none')}</Dimmed>
      ) : (
        <StatementDays statement={statement} />
      )}
    </Stack>
  );
}

/** `type` is that of the log entries that make the sum; other changes have none. */
function sumsOf({ credits, debits, charges, refunds }: Statement) {
  return [
    { name: 'credits', kind: 'credit', units: credits, type: undefined },
    { name: 'debits', kind: 'charge', units: debits, type: undefined },
    { name: 'charges', kind: 'charge', units: charges, type: LOG_TYPE.consume },
    { name: 'refunds', kind: 'refund', units: refunds, type: LOG_TYPE.refund },
  ] as const;
}
