import { SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../../components/forms/call-problem.ts';
import { Form } from '../../../components/forms/Form.tsx';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import type { PriceRow } from './price-columns.tsx';
import { cellValue, editOfUsd, type PriceEdit } from './price-edits.ts';

const MODES = ['ratio', 'usd', 'call'] as const;
type Mode = (typeof MODES)[number];
type Field = 'ratio' | 'completion' | 'inUsd' | 'outUsd' | 'callUsd';

const FIELDS_OF: Readonly<Record<Mode, readonly Field[]>> = {
  ratio: ['ratio', 'completion'],
  usd: ['inUsd', 'outUsd'],
  call: ['callUsd'],
};

interface PriceDialogProps {
  /** undefined for a new model. */
  readonly row: PriceRow | undefined;
  readonly isTaken: (model: string) => Promise<boolean>;
  readonly onClose: () => void;
  readonly onEdit: (model: string, edit: PriceEdit) => void;
}

/** Edits one model's price in the notation the user prefers. */
export function PriceDialog({ row, isTaken, onClose, onEdit }: PriceDialogProps) {
  const { t } = useTranslation();
  const [model, setModel] = useState(row?.model ?? '');
  const [mode, setMode] = useState<Mode>(row?.price != null ? 'call' : 'ratio');
  const [texts, setTexts] = useState(() => textsOf(row));
  const [isBusy, setBusy] = useState(false);

  const submit = async () => {
    const name = model.trim();
    if (name === '') return toast.error(t('setting.price.noName'));
    const edit = readEdit(mode, texts);
    if (typeof edit === 'string') return toast.error(t(`setting.price.${edit}`));
    setBusy(true);
    try {
      if (row === undefined && (await isTaken(name))) return toast.error(t('setting.price.twice'));
      onEdit(name, { ...edit, ...((row === undefined || row.edit.isNew) && { isNew: true }) });
      onClose();
    } catch (error) {
      toast.error(problemText(t, error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <OpenModal
      onClose={onClose}
      size={480}
      title={row ? t('setting.price.editTitle', { model: row.model }) : t('setting.price.add')}
    >
      <Form onSubmit={submit}>
        <Stack gap="md">
          {row === undefined && (
            <TextInput
              label={t('setting.price.model')}
              data-autofocus
              value={model}
              onChange={(event) => setModel(event.currentTarget.value)}
            />
          )}
          <SegmentedControl
            aria-label={t('setting.price.mode')}
            value={mode}
            onChange={(next) => setMode(next as Mode)} // one of the values below
            data={MODES.map((value) => ({ value, label: t(`setting.price.mode.${value}`) }))}
          />
          {FIELDS_OF[mode].map((name) => (
            <TextInput
              key={name}
              label={t(`setting.price.${name}`)}
              inputMode="decimal"
              value={texts[name]}
              onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
            />
          ))}
          <DialogFooter onClose={onClose} verb={t('setting.price.confirm')} loading={isBusy} />
        </Stack>
      </Form>
    </OpenModal>
  );
}

type Texts = Readonly<Record<Field, string>>;

function textsOf(row: PriceRow | undefined): Texts {
  const { price = null, ratio = null, completion = null } = row ?? {};
  const text = (value: number | null) => (value === null ? '' : String(value));
  return {
    ratio: text(ratio),
    completion: text(completion),
    inUsd: text(ratio === null ? null : ratio * 2),
    outUsd: text(ratio === null || completion === null ? null : ratio * 2 * completion),
    callUsd: text(price),
  };
}

/** The edit, or its validation error. */
function readEdit(mode: Mode, texts: Texts): PriceEdit | 'notNumber' | 'negative' | 'zero' {
  const [first = null, second = null] = FIELDS_OF[mode].map((name) => cellValue(texts[name]));
  if (typeof first === 'string') return first;
  if (typeof second === 'string') return second;
  if (first === null) return 'notNumber';
  if (mode === 'call') return { price: first, ratio: null, completion: null };
  if (mode === 'usd') return editOfUsd(first, second);
  return { price: null, ratio: first, completion: second };
}
