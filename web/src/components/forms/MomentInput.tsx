import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { DatesProvider, DateTimePicker } from '@mantine/dates';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTimeText } from '../../lib/dates.ts';
import { usePopupLayer } from '../layout/popup-layer.ts';

export interface MomentInputProps {
  readonly label: string;
  /** Epoch seconds; undefined is no moment. */
  readonly value: number | undefined;
  readonly onChange: (at: number | undefined) => void;
  /** As wide as its place; otherwise as wide as a moment. */
  readonly isWide?: boolean;
  readonly placeholder?: string;
  readonly description?: string;
  readonly error?: React.ReactNode;
}

/** One moment, in the reader's own zone. Import it lazily: the calendar weighs 33 kB. */
export function MomentInput({ value, onChange, isWide = false, ...input }: MomentInputProps) {
  const { t, i18n } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  usePopupLayer(isOpen);
  return (
    <DatesProvider
      settings={{ locale: i18n.language === 'en' ? 'en' : 'zh-cn', firstDayOfWeek: 1 }}
    >
      <DateTimePicker
        {...input}
        clearable
        clearButtonProps={{ 'aria-label': `${t('action.reset')}: ${input.label}` }}
        withSeconds
        w={isWide ? '100%' : 210}
        popoverProps={{ onOpen: () => setOpen(true) }}
        onDropdownClose={() => setOpen(false)}
        valueFormat="YYYY-MM-DD HH:mm:ss"
        value={value === undefined ? null : dateTimeText(value)}
        onChange={(text) => onChange(text === null ? undefined : secondsOf(text))}
      />
    </DatesProvider>
  );
}

/** The picker speaks local time as `2026-11-21 07:56:12`. */
function secondsOf(text: string): number {
  return Math.floor(new Date(text.replace(' ', 'T')).getTime() / 1000);
}
