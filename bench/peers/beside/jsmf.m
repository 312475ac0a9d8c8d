% The authors' own program (github.com/moontae/JSMF, MATLAB) under Octave, for `go run ./bench topics`. It holds C dense. The folder of its
% codes is in the environment variable JSMF_CODES; the project does not have it. `jsmf` rectifies by alternating projection.

1;

function values = integers(folder, name, kind)
  file = fopen(fullfile(folder, [name '.npy']), 'r', 'ieee-le');
  fread(file, 8);
  fread(file, fread(file, 1, 'uint16'));
  values = fread(file, Inf, kind);
  fclose(file);
end

function leave(code, text)
  fprintf(stderr, '%s\n', text);
  exit(code);
end

words = argv();
[method, folder, output] = words{1:3};
sizes = cellfun(@str2double, words(4:7));
codes = getenv('JSMF_CODES');
if isempty(codes) || ! exist(fullfile(codes, 'factorizeC.m'), 'file')
  leave(3, 'the authors'' program is not here: clone github.com/moontae/JSMF and name its folder codes with --jsmf');
end
stages = {};
begun = time(); used = cputime();
function [begun, used, stages] = lap(name, begun, used, stages)
  stages{end + 1} = sprintf('{"name": "%s", "seconds": %f, "cpu_seconds": %f}', name, time() - begun, cputime() - used);
  begun = time(); used = cputime();
end

try
  ends = integers(folder, 'indptr', 'int64');
  columns = integers(folder, 'indices', 'int32') + 1;
  counts = integers(folder, 'counts', 'int32');
  rows = repelems(1:numel(ends) - 1, [1:numel(ends) - 1; diff(ends)'])';
  x = sparse(rows, columns, counts, numel(ends) - 1, sizes(1));
  [begun, used, stages] = lap('load', begun, used, stages);
  n = full(sum(x, 2));
  x = x(n >= 2, :); n = n(n >= 2);
  scale = 1 ./ (n .* (n - 1) * numel(n));
  c = full(x' * spdiags(scale, 0, numel(n), numel(n)) * x) - diag(x' * scale);
  [begun, used, stages] = lap('co-occurrences', begun, used, stages);
  rand('twister', sizes(3)); randn('twister', sizes(3));
  addpath(codes);
  cd(output); % it writes logs where it is
  [s, b] = factorizeC(c, sizes(2), 'AP');
  [begun, used, stages] = lap('fit', begun, used, stages);
catch problem
  code = 1;
  if ! isempty(strfind(problem.message, 'memory')), code = 12; end
  leave(code, problem.message);
end
b = max(full(b), 0); b(! isfinite(b)) = 0;
sums = sum(b, 1); sums(sums == 0) = 1;
file = fopen(fullfile(output, 'topics.npy'), 'w', 'ieee-le');
header = sprintf('{''descr'': ''<f4'', ''fortran_order'': False, ''shape'': (%d, %d), }', sizes(2), sizes(1));
header = [header repmat(' ', 1, mod(-(11 + numel(header)), 64)) "\n"];
fwrite(file, [147 double('NUMPY') 1 0]); fwrite(file, numel(header), 'uint16'); fwrite(file, header);
fwrite(file, b ./ sums, 'single'); % column after column: K×N in rows
fclose(file);
peak = '0';
if exist('/proc/self/status', 'file')
  peak = regexp(fileread('/proc/self/status'), 'VmHWM:\s*(\d+)', 'tokens', 'once'){1};
end
file = fopen(fullfile(output, 'answer.json'), 'w');
fprintf(file, '{"program": "JSMF under Octave %s", "stages": [%s], "peak_bytes": %.0f}', version(), strjoin(stages, ', '), 1024 * str2double(peak));
fclose(file);
