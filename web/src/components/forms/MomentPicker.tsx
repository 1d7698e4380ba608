import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { DatesProvider, DateTimePicker } from '@mantine/dates';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTimeText } from '../../lib/text/dates.ts';
import { usePopupLayer } from '../layout/popup-layer.ts';

export interface MomentPickerProps {
  readonly label: string;
  /** Epoch seconds; undefined if unset. */
  readonly value: number | undefined;
  readonly onChange: (at: number | undefined) => void;
  readonly width: number | '100%';
  readonly placeholder?: string;
  readonly description?: string;
  readonly error?: React.ReactNode;
}

/** The field and calendar of `MomentInput`, which loads them. */
export function MomentPicker({ value, onChange, width, ...input }: MomentPickerProps) {
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
        clearButtonProps={{
          'aria-label': t('part.named', { name: t('action.reset'), value: input.label }),
        }}
        withSeconds
        w={width}
        popoverProps={{ onOpen: () => setOpen(true) }}
        onDropdownClose={() => setOpen(false)}
        valueFormat="YYYY-MM-DD HH:mm:ss"
        value={value === undefined ? null : dateTimeText(value)}
        onChange={(text) => onChange(text === null ? undefined : secondsOf(text))}
      />
    </DatesProvider>
  );
}

/** The picker uses local time as `2026-11-21 07:56:12`. */
function secondsOf(text: string): number {
  return Math.floor(new Date(text.replace(' ', 'T')).getTime() / 1000);
}
