pragma journal_mode = wal;
pragma application_id = 1735423336;
pragma user_version = 3;
create table results(
	id       integer primary key,
	run      text not null unique,
	revision integer not null,
	uid      integer not null,
	gate     text not null,
	lane     text not null,
	branch   text not null,
	head     text not null,
	outcome  text not null,
	partial  integer not null,
	clean    integer not null,
	marked   integer not null,
	started  integer not null
) strict;
create index results_started on results(started);
create index results_gate on results(gate, started, outcome, partial, lane);
create index results_newest on results(lane, gate, started desc) where partial = 0;
create table bodies(
	result integer primary key references results(id) on delete cascade,
	body   blob not null
) strict;
create table series(
	id      integer primary key,
	gate    text not null,
	metric  text not null,
	labels  text not null,
	unit    text not null,
	backend text not null,
	card    text not null,
	profile text not null,
	unique(gate, metric, labels, unit, backend, card, profile)
) strict;
create table metrics(
	series  integer not null references series(id),
	started integer not null,
	result  integer not null references results(id) on delete cascade,
	count   integer not null,
	low     any not null,
	high    any not null,
	last    any,
	first   integer not null,
	primary key(series, started, result)
) strict, without rowid;
create index metrics_result on metrics(result);
create table kills(
	id    integer primary key,
	boot  text not null,
	pid   integer not null,
	start integer not null,
	time  integer not null,
	lane  text not null,
	by    integer not null,
	body  blob not null,
	unique(pid, start, boot)
) strict;
create index kills_time on kills(time);
create table imports(
	file    text primary key,
	inode   integer not null,
	offset  integer not null,
	head    blob not null,
	garbled integer not null
) strict, without rowid;
create table falsifications(
	id      integer primary key,
	run     text not null unique,
	uid     integer not null,
	gate    text not null,
	lane    text not null,
	partial integer not null,
	started integer not null,
	body    blob not null
) strict;
create index falsifications_gate on falsifications(gate, started);
create table decisions(
	run text primary key,
	uid integer, gate text, lane text, started integer, body blob
) strict;
insert into results values(1, 'r1', 0, 1000, 'adjoint', 'kda', 'main', 'c0ffee', 'green', 0, 1, 0, 1772600767000089);
insert into results values(2, 'r2', 1, 1000, 'adjoint', 'kda', 'topic', 'decade', 'red', 0, 0, 1, 1772604367000000);
insert into bodies values(1, cast('{"type":"result","run":"r1","gate":"adjoint","lane":"kda","outcome":"green","exit":0,"started":"2026-03-04T05:06:07.000089Z","seconds":12.5,"commit":"c0ffee","branch":"main","profile":"debug","backend":"cuda","uid":1000,"metrics":[{"metric":"worst-rel","labels":"term=d_g","count":4,"low":1e-7,"high":6.3e-7,"last":3.5e-7}]}' as blob));
insert into bodies values(2, cast('{"type":"result","run":"r2","gate":"adjoint","lane":"kda","outcome":"red","exit":100,"started":"2026-03-04T06:06:07Z","seconds":11,"commit":"decade","branch":"topic","changes":"ab","profile":"debug","backend":"cuda","uid":1000,"marks":["shared"],"metrics":[{"metric":"worst-rel","labels":"term=d_g","count":4,"low":1e-7,"high":0.5}],"revision":1}' as blob));
insert into series values(1, 'adjoint', 'worst-rel', 'term=d_g', '', 'cuda', '', 'debug');
insert into metrics values(1, 1772600767000089, 1, 4, 1e-7, 6.3e-7, 3.5e-7, 0);
insert into metrics values(1, 1772604367000000, 2, 4, 1e-7, 0.5, null, 0);
insert into kills values(1, 'b1', 4123, 998877, 1772600767000000, 'kda', 1000, cast('{"type":"kill","time":"2026-03-04T05:06:07Z","boot":"b1","pid":4123,"start":998877,"comm":"ld","kind":"leaked","lane":"kda","why":"gone","age-seconds":1,"cpu-seconds":1,"took-seconds":0,"uid":1000,"by":1000}' as blob));
insert into imports values('reaper.jsonl', 12, 0, x'', 0);
insert into falsifications values(1, 'f1', 1000, 'adjoint', 'kda', 0, 1772607600000000, cast('{"type":"falsification","run":"f1","gate":"adjoint","lane":"kda","started":"2026-03-04T07:00:00Z","seconds":3.5,"uid":1000,"partial":false,"commit":"c0ffee","settings":"aa","faults":"bb","files":{"faults/a.patch":"cc"},"caught":1,"of":2,"results":[{"fault":"double-exp","outcome":"caught","gate-outcome":"red","run":"f2","metrics":[{"metric":"worst-rel","value":0.5,"unfaulted":1e-7,"factor":25000,"must":"move","moved":true}]},{"fault":"sign","outcome":"blind","why":"it stays green"}]}' as blob));
insert into decisions values('20260305T070000Z-0a1b2c3d', 0, 'speed', 'kda', 1772694000000000, cast('{"type":"decision","id":"20260305T070000Z-0a1b2c3d","gate":"speed","lane":"kda","at":"2026-03-05T07:00:00Z","taken":"0001-01-01T00:00:00Z","uid":0,"who":"alice","verdict":"win","base":{"name":"base","spec":"commit:main","commit":"c0ffee"},"arm":{"name":"fused","spec":"env:FAST=1","commit":"c0ffee"},"metric":"step-ms","unit":"ms","control":0,"change":-0.1,"low":-0.11,"high":-0.09,"floor":0.01,"samples":20,"flags":["env:FAST=1"],"settings":"aa","rules":"samples = 20\n"}' as blob));
