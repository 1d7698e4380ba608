import { Group, Input, Modal, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../display/SideButton.tsx';
import { ToolButton } from '../display/ToolButton.tsx';
import type { AreaProps } from './CodeArea.tsx';
import { type FlatMap, readFlatMap, typedValue, withEntry } from './json-problems.ts';

const CodeArea = lazy(async () => {
  try {
    return { default: (await import('./CodeArea.tsx')).CodeArea };
  } catch {
    return { default: PlainArea };
  }
});

export interface JsonEditorProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error?: ReactNode;
  /** JSON inserted by "Insert template". */
  readonly template?: string;
  /** Offers the table view: for flat maps of names to strings or numbers. */
  readonly hasTable?: boolean;
  /** The most lines that it is high; it starts with the lines of its text. */
  readonly rows?: number;
  readonly isReadOnly?: boolean;
}

/** A JSON editor with a text view that marks errors and a table view of the same value. */
export function JsonEditor(props: JsonEditorProps) {
  const { label, description, error, value, onChange, rows = 8, isReadOnly = false } = props;
  const id = useId();
  const [isLarge, setLarge] = useState(false);
  const [isTable, setTable] = useState(false);
  const map = readFlatMap(value);
  const area = { id, label, value, onChange, isReadOnly, isInvalid: error !== undefined };
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error} labelElement="div">
      <Stack gap={6} mt={4}>
        <Tools
          {...props}
          isTable={isTable}
          setTable={setTable}
          canTable={map !== undefined}
          onLarge={() => setLarge(true)}
        />
        {isTable && map !== undefined ? (
          <JsonTable map={map} onChange={onChange} isReadOnly={isReadOnly} />
        ) : (
          <Area {...area} rows={Math.min(rows, rowsOf(value))} />
        )}
      </Stack>
      <Modal opened={isLarge} onClose={() => setLarge(false)} title={label} size="xl">
        <Area {...area} id={`${id}-large`} rows={24} />
      </Modal>
    </Input.Wrapper>
  );
}

const FEWEST_ROWS = 2;
/** Characters of a line in an editor of usual width. */
const LINE_LENGTH = 90;

function rowsOf(value: string): number {
  const lines = value.split('\n').map(({ length }) => Math.max(1, Math.ceil(length / LINE_LENGTH)));
  return Math.max(
    FEWEST_ROWS,
    lines.reduce((sum, rows) => sum + rows, 0),
  );
}

/** Read-only until the code editor has loaded, because focus and typed text would be lost then. */
function Area(props: AreaProps) {
  return (
    <Suspense fallback={<PlainArea {...props} isReadOnly />}>
      <CodeArea {...props} />
    </Suspense>
  );
}

/** Shown until the code editor has loaded, and used if it fails to load. */
function PlainArea({ id, label, value, onChange, rows, isReadOnly, isInvalid }: AreaProps) {
  return (
    <Textarea
      autosize={false}
      id={id}
      aria-label={label}
      ff="monospace"
      rows={rows}
      spellCheck={false}
      readOnly={isReadOnly}
      error={isInvalid}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface ToolsProps extends JsonEditorProps {
  readonly isTable: boolean;
  readonly canTable: boolean;
  readonly setTable: (isTable: boolean) => void;
  readonly onLarge: () => void;
}

function Tools(props: ToolsProps) {
  const { value, onChange, template, hasTable, isReadOnly, isTable, canTable, setTable, onLarge } =
    props;
  const { t } = useTranslation();
  const format = () => {
    try {
      onChange(JSON.stringify(JSON.parse(value), null, 2));
    } catch {
      // The editor marks the place; there is nothing to format.
    }
  };
  return (
    <Group gap={6}>
      {hasTable && (
        <SegmentedControl
          size="xs"
          aria-label={t('common.view')}
          value={isTable && canTable ? 'table' : 'text'}
          onChange={(view) => setTable(view === 'table')}
          data={[
            { value: 'text', label: t('common.text') },
            { value: 'table', label: t('common.table'), disabled: !canTable },
          ]}
        />
      )}
      {!isReadOnly && (
        <SideButton size="compact-xs" label={t('part.json.format')} onClick={format} />
      )}
      {template !== undefined && !isReadOnly && (
        <SideButton
          size="compact-xs"
          label={t('part.json.template')}
          onClick={() => onChange(template)}
        />
      )}
      <SideButton size="compact-xs" label={t('part.json.expand')} onClick={onLarge} />
    </Group>
  );
}

interface JsonTableProps {
  readonly map: FlatMap;
  readonly onChange: (text: string) => void;
  readonly isReadOnly: boolean;
}

/** A flat map, one row per entry. A row is saved on blur, so a half-typed name is no entry. */
function JsonTable({ map, onChange, isReadOnly }: JsonTableProps) {
  const { t } = useTranslation();
  const entries = Object.entries(map);
  const isNumeric = entries.length > 0 && entries.every(([, value]) => typeof value === 'number');
  const write = (next: FlatMap) => onChange(JSON.stringify(next, null, 2));
  return (
    <Stack gap={6}>
      {entries.map(([key, value], index) => (
        <Group key={`${key} ${index}`} gap={6} wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={t('common.name')}
            defaultValue={key}
            readOnly={isReadOnly}
            onBlur={({ currentTarget }) => {
              const typed = currentTarget.value.trim();
              if (typed !== key && !(typed in map)) write(withEntry(map, index, [typed, value]));
            }}
          />
          <TextInput
            flex={1}
            aria-label={t('common.value')}
            defaultValue={String(value)}
            readOnly={isReadOnly}
            onBlur={({ currentTarget }) => {
              const typed = typedValue(currentTarget.value, isNumeric);
              if (typed !== value) write(withEntry(map, index, [key, typed]));
            }}
          />
          {!isReadOnly && (
            <ToolButton
              label={t('part.json.remove', { key })}
              onClick={() => write(Object.fromEntries(entries.filter((_, at) => at !== index)))}
              icon={IconTrash}
            />
          )}
        </Group>
      ))}
      {!isReadOnly && (
        <div>
          <SideButton
            size="xs"
            icon={IconPlus}
            disabled={'' in map}
            label={t('part.json.add')}
            onClick={() => write({ ...map, '': isNumeric ? 1 : '' })}
          />
        </div>
      )}
    </Stack>
  );
}
