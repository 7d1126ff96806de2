/** All flight sheets by name, the newest version first. */
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { flightSheetsQuery, useSession } from '../../../api/queries.ts';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { QueryBoundary } from '../../../components/query-boundary.tsx';
import { useRowCursor } from '../../../components/row-cursor.ts';
import { PanelSkeleton } from '../../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx';
import { count } from '../../../format/numbers.ts';
import { deniedReason } from '../../../format/permissions.ts';
import { Page } from '../../../layout/page.tsx';
import { useShortcuts } from '../../../layout/shortcuts.ts';

const NEW = '/settings/flight-sheets/new';
const VERSIONS_SHOWN = 4;

export function addressOf({ name, version }: Pick<FlightSheet, 'name' | 'version'>): string {
  return `/settings/flight-sheets/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

export function newVersionOf({ name, version }: Pick<FlightSheet, 'name' | 'version'>): string {
  return `${NEW}?${new URLSearchParams({ from: `${name}@${version}` })}`;
}

/** Of each name its versions, the newest first. */
function byName(sheets: readonly FlightSheet[]): [newest: FlightSheet, ...older: FlightSheet[]][] {
  const named = Map.groupBy(sheets, ({ name }) => name);
  return [...named.values()].map((versions) => versions.toReversed() as [FlightSheet, ...FlightSheet[]]);
}

export function SheetList() {
  const sheets = useQuery(flightSheetsQuery);
  const [, navigate] = useLocation();
  const disabledReason = deniedReason(useSession().role, 'work');
  const create = () => disabledReason === null && navigate(NEW);
  useShortcuts({ c: { does: 'Write a flight sheet', run: create } });
  const button = (
    <Button kind="primary" icon="plus" disabledReason={disabledReason} onClick={create}>
      New sheet
    </Button>
  );
  return (
    <Page
      title="Flight sheets"
      narrow
      lead="The rules that decide an evaluation. Each version is fixed when it is published, so a receipt means the same forever."
      actions={button}
    >
      <QueryBoundary query={sheets} skeleton={<PanelSkeleton rows={3} />}>
        {(all) =>
          all.length === 0 ? (
            <div className="panel">
              <EmptyState icon="sliders" title="No flight sheet yet">
                <p>
                  Say once what must hold of a piece of work – as expressions the ledger decides, or as questions for a
                  person – and every evaluation is decided by it.
                </p>
                {button}
              </EmptyState>
            </div>
          ) : (
            <SheetTable named={byName(all)} />
          )
        }
      </QueryBoundary>
    </Page>
  );
}

function SheetTable({ named }: { named: ReturnType<typeof byName> }) {
  const [, navigate] = useLocation();
  const { at } = useRowCursor(named.length, (row) => navigate(addressOf(named[row]![0])));
  return (
    <Table
      label="Flight sheets"
      columns={[{ label: 'Sheet' }, { label: 'Rules' }, { label: 'Versions', kind: 'wide' }]}
    >
      {named.map(([newest, ...older], row) => (
        <Row key={newest.name} at={at === row}>
          <HeadCell
            href={addressOf(newest)}
            below={
              <code>
                {newest.name} {newest.version}
              </code>
            }
          >
            {newest.title}
          </HeadCell>
          <Cell>{count(newest.rules.length, 'rule')}</Cell>
          <Cell kind="wide">
            <span className="versions">
              {[newest, ...older].slice(0, VERSIONS_SHOWN).map((sheet) => (
                <Link key={sheet.version} href={addressOf(sheet)}>
                  {sheet.version}
                </Link>
              ))}
              {older.length >= VERSIONS_SHOWN && <span>and {older.length + 1 - VERSIONS_SHOWN} more</span>}
            </span>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
