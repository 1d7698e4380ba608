import { Card, Group, Menu, ScrollArea, Skeleton, Table, Title } from '@mantine/core';
import { IconChartBar, IconDownload, IconTable } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveSvgAsPng, saveText } from '../../lib/browser/save-file.ts';
import { ToolButton } from '../display/ToolButton.tsx';
import { Empty, LoadFailed } from '../layout/list-states.tsx';
import { type ChartData, type ChartFormat, chartRows, csvText, largestIn } from './chart-data.ts';

const Chart = lazy(async () => ({ default: (await import('./Chart.tsx')).Chart }));

interface ChartCardProps {
  readonly title: string;
  /** undefined while loading. */
  readonly data: ChartData | undefined;
  readonly error?: unknown;
  readonly onRetry?: () => unknown;
  /** One-sentence text alternative for screen readers. */
  readonly summary: string;
  readonly format?: ChartFormat;
  /** Pixels; 260 by default. */
  readonly height?: number;
  readonly tools?: ReactNode;
  /** Called with the indexes of the first and last point when the user drags over a range. */
  readonly onZoom?: (first: number, last: number) => void;
  /** Shown when there is no data. */
  readonly empty?: ReactNode;
}

/** A chart card that can also show its data as a table and export it as CSV or PNG. */
export function ChartCard(props: ChartCardProps) {
  const { title, data, error, onRetry, height = 260, tools } = props;
  const { t } = useTranslation();
  const [isTable, setTable] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  return (
    <Card component="section" aria-label={title}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} fz={14}>
          {title}
        </Title>
        <Group gap={2} wrap="nowrap">
          {tools}
          {data && (
            <Tools
              isTable={isTable}
              setTable={setTable}
              title={title}
              data={data}
              container={container}
            />
          )}
        </Group>
      </Group>
      <div ref={container}>
        {error && !data ? (
          <LoadFailed error={error} onRetry={onRetry ?? (() => undefined)} />
        ) : data === undefined ? (
          <Skeleton height={height} aria-label={t('part.loading')} />
        ) : (
          <Body {...props} data={data} height={height} isTable={isTable} />
        )}
      </div>
    </Card>
  );
}

interface BodyProps extends ChartCardProps {
  readonly data: ChartData;
  readonly height: number;
  readonly isTable: boolean;
}

function Body(props: BodyProps) {
  const { data, height, isTable, summary, format = String, empty, onZoom } = props;
  const { t } = useTranslation();
  const { head, rows } = chartRows(data);
  const largest = largestIn(data);
  const isEmpty =
    rows.length === 0 ||
    rows.every((row) => row.slice(1).every((cell) => cell === 0 || cell === ''));
  if (isEmpty)
    return empty ?? <Empty icon={<IconChartBar size={32} />} title={t('part.chart.empty')} />;
  if (isTable) {
    return (
      <ScrollArea h={height} viewportProps={{ tabIndex: 0 }}>
        <Table stickyHeader fz="sm">
          <Table.Thead>
            <Table.Tr>
              {head.map((cell, index) => (
                <Table.Th key={`${cell} ${index}`}>{cell}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={String(row[0])}>
                {row.map((cell, index) => (
                  <Table.Td key={`${head[index]} ${index}`} ta={index === 0 ? 'left' : 'right'}>
                    {typeof cell === 'number' ? format(cell, largest) : cell}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    );
  }
  return (
    <Suspense fallback={<Skeleton height={height} />}>
      <Chart data={data} height={height} format={format} summary={summary} onZoom={onZoom} />
    </Suspense>
  );
}

interface ToolsProps {
  readonly isTable: boolean;
  readonly setTable: (isTable: boolean) => void;
  readonly title: string;
  readonly data: ChartData;
  readonly container: React.RefObject<HTMLDivElement | null>;
}

function Tools({ isTable, setTable, title, data, container }: ToolsProps) {
  const { t } = useTranslation();
  const { head, rows } = chartRows(data);
  const label = t(isTable ? 'part.chart.showChart' : 'part.chart.showTable');
  return (
    <>
      <ToolButton
        size={28}
        label={label}
        onClick={() => setTable(!isTable)}
        icon={isTable ? IconChartBar : IconTable}
      />
      <Menu>
        <Menu.Target>
          <ToolButton size={28} label={t('part.chart.export')} icon={IconDownload} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => saveText(`${title}.csv`, csvText(head, rows), 'text/csv')}>
            CSV
          </Menu.Item>
          <Menu.Item
            disabled={isTable}
            onClick={() => {
              const svg = container.current?.querySelector<SVGSVGElement>('svg.recharts-surface');
              if (svg) void saveSvgAsPng(`${title}.png`, svg);
            }}
          >
            PNG
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
