import { useTranslation } from 'react-i18next';
import classes from './CheckInMonth.module.css';
import { dayOfMonth, weeksOf } from './check-in-days.ts';

interface CheckInMonthProps {
  /** As returned by `checkedDays`. */
  readonly days: ReadonlySet<string>;
  readonly now: Date;
}

/** A Monday, for the names of the weekdays. */
const MONDAY = new Date(2024, 0, 1);

/** This month, with the check-in days marked. */
export function CheckInMonth({ days, now }: CheckInMonthProps) {
  const { t, i18n } = useTranslation();
  const month = new Intl.DateTimeFormat(i18n.language, { year: 'numeric', month: 'long' });
  const name = new Intl.DateTimeFormat(i18n.language, { weekday: 'narrow' });
  const heads = Array.from({ length: 7 }, (_, index) =>
    name.format(new Date(MONDAY.getTime() + index * 86_400_000)),
  );
  return (
    <table className={classes.month}>
      <caption>{month.format(now)}</caption>
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
            {week.map((day, place) =>
              day === null ? (
                <td key={place} />
              ) : (
                <Day
                  key={place}
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
      {isDone && <span className={classes.hidden}> {done}</span>}
    </td>
  );
}
