import { Button, Card, Group, Title, VisuallyHidden } from '@mantine/core';
import { IconCalendarCheck, IconFlame } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { quotaText } from '../../../../src/domain/pricing/quota-text.ts';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { useAction } from '../../hooks/useAction.ts';
import { account } from '../../lib/api/account.ts';
import { ApiError } from '../../lib/api/api.ts';
import { checkInKeys, selfKeys } from '../../lib/api/query-keys.ts';
import { useQuotaStyle } from '../../lib/pricing/quota-format.ts';
import { monthText } from '../../lib/text/dates.ts';
import classes from './CheckInCard.module.css';
import { checkInQuery } from './calls.ts';
import { checkedDays, countStreak, dayOfMonth, weeksOf } from './check-in-days.ts';

/** The daily check-in that grants quota. */
export function CheckInCard() {
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  const status = useQuery(checkInQuery);
  const checkIn = useAction(() => account.checkIn({}), {
    touches: [selfKeys, checkInKeys],
    done: ({ quota }) =>
      t('account.checkIn.done', { amount: quotaText(quota, { currency: true, quotaPerUnit }) }),
    onFailed: (error) => {
      if (error instanceof ApiError && error.message !== '') toast.failure(error);
      else toast.error(t('account.checkIn.failed'));
      void status.refetch();
    },
  });
  const isOver = status.data?.can_check_in === false;
  const now = new Date();
  const days = status.data && checkedDays(status.data.checked_in_at);
  const streak = days ? countStreak(days, now) : 0;
  return (
    <Card component="section" aria-label={t('account.checkIn.title')}>
      <Group justify="space-between" wrap="nowrap" gap="sm" mb={days ? 'sm' : 0}>
        <div>
          <Group gap={6}>
            <Title order={2} fz={14}>
              {t('account.checkIn.title')}
            </Title>
            {streak > 1 && (
              <Tag tone="teal" icon={<IconFlame size={12} aria-hidden />}>
                {t('account.checkIn.streak', { count: streak })}
              </Tag>
            )}
          </Group>
          <Dimmed size="sm">{t('account.checkIn.hint')}</Dimmed>
        </div>
        <Button
          leftSection={<IconCalendarCheck size={16} />}
          disabled={isOver || status.data === undefined}
          loading={checkIn.isPending}
          style={{ flexShrink: 0 }}
          onClick={() => checkIn.mutate(undefined)}
        >
          {isOver ? t('account.checkIn.already') : t('account.checkIn.press')}
        </Button>
      </Group>
      {days && <CheckInMonth days={days} now={now} />}
    </Card>
  );
}

interface CheckInMonthProps {
  /** As returned by `checkedDays`. */
  readonly days: ReadonlySet<string>;
  readonly now: Date;
}

/** A Monday, for the names of the weekdays. */
const MONDAY = new Date(2024, 0, 1);

/** This month, with the check-in days marked. */
function CheckInMonth({ days, now }: CheckInMonthProps) {
  const { t, i18n } = useTranslation();
  const name = new Intl.DateTimeFormat(i18n.language, { weekday: 'narrow' });
  const heads = Array.from({ length: 7 }, (_, index) =>
    name.format(new Date(MONDAY.getTime() + index * 86_400_000)),
  );
  return (
    <table className={classes.month}>
      <caption>{monthText(now, i18n.language)}</caption>
      <thead>
        <tr>
          {heads.map((head, index) => (
            <th key={index} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(now).map((week, index) => (
          <tr key={index}>
            {week.map((day, index) =>
              day === null ? (
                <td key={index} />
              ) : (
                <Day
                  key={index}
                  day={day}
                  isDone={days.has(dayOfMonth(now, day))}
                  isToday={day === now.getDate()}
                  done={t('account.checkIn.dayDone')}
                />
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  readonly day: number;
  readonly isDone: boolean;
  readonly isToday: boolean;
  /** Text for screen readers in place of the colour. */
  readonly done: string;
}

function Day({ day, isDone, isToday, done }: DayProps) {
  return (
    <td
      className={classes.day}
      data-done={isDone || undefined}
      data-today={isToday || undefined}
      aria-current={isToday ? 'date' : undefined}
    >
      {day}
      {isDone && <VisuallyHidden> {done}</VisuallyHidden>}
    </td>
  );
}
